#include "app/command_line/program.h"

#include <execinfo.h>

#include <cstdio>

#include "app/command_line/command_line.h"
#include "autograd/sanitizer.h"
#include "base/check.h"
#include "train/config/config_terms.h"
#include "train/console/failure.h"
#include "train/console/out_of_memory.h"
#include "train/console/print.h"
#include "train/processes/job.h"
#include "train/signals.h"

namespace glossa::commands {

namespace {

/// The original standard error; `join` may redirect `stderr`.
std::FILE* const errors = stderr;

/// Joins the other processes, if any. Silences all but the first process, as they would print the same.
void join(Job& job) {
  job.join();
  if (job.is_first()) return;
  std::FILE* const nowhere = std::fopen("/dev/null", "w");
  if (nowhere != nullptr) stderr = stdout = nowhere;  // the descriptors stay open for output on crashes
}

void print_failure(const Error& error, const std::string& process = "") {
  print_error(errors, "{}{}", in_config_terms(error).what(), process);
}

/// Called before any other code, as the constructors of libraries may run out of memory. A sanitizer's must run first.
#if !GLOSSA_SANITIZES(address) && !GLOSSA_SANITIZES(thread)
[[gnu::section(".preinit_array"), gnu::used]] void (*const at_start)() = end_without_signal_if_out_of_memory;
#endif

/// Loads what the C library needs to end a thread, and otherwise loads when a thread ends; without memory it would
/// abort.
void load_unwinder() {
  void* frame = nullptr;
  backtrace(&frame, 1);
}

int join_and_run(const Program& program, int argc, char** argv) {
  Job job;
  try {
    load_unwinder();
    take_signals_aside();
    join(job);
    const int status = run(program, {argv + 1, argv + argc}, job);
    check(std::fflush(stdout) == 0 && std::ferror(stdout) == 0, "standard output",
          "cannot write the output. Hint: the disk may be full");
    return status;
  } catch (const CommonError& error) {
    if (job.is_first()) print_failure(error);
    return error.exit_status();
  } catch (...) {
    const Error failure = failure_of(std::current_exception());
    if (job.is_several())
      job.end(failure.exit_status(), [&] {
        print_failure(failure, job.is_first() ? "" : fmt::format(" ({})", job.place().name(job.rank())));
      });
    if (job.is_first()) print_failure(failure);
    return failure.exit_status();
  }
}

}  // namespace

int run_program(const Program& program, int argc, char** argv) noexcept {
  try {
    return join_and_run(program, argc, argv);
  } catch (...) {  // reporting a failure failed
    print_out_of_memory();
    return 1;
  }
}

}  // namespace glossa::commands
