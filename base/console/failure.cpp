#include "base/console/failure.h"

#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <filesystem>
#include <initializer_list>
#include <new>
#include <system_error>

namespace glossa {

namespace {

// Parts of the error for exhausted memory.
constexpr const char* memory = "memory";
constexpr const char* no_memory = "cannot allocate memory: the machine has no more";
constexpr const char* memory_hint = "lower data.max_tokens, or decode.max_tokens when translating";

std::terminate_handler usual_end = nullptr;  // end_without_signal_if_out_of_memory sets it

[[noreturn]] void end() {
  try {
    if (std::current_exception()) throw;
  } catch (const std::bad_alloc&) {
    print_out_of_memory();
    _exit(1);
  } catch (...) {
  }
  usual_end();
  _exit(1);
}

}  // namespace

Error failure_of(const std::exception_ptr& thrown) {
  constexpr Error::Kind failure = Error::Kind::failure;
  try {
    std::rethrow_exception(thrown);
  } catch (const Error& error) {
    return error;
  } catch (const std::filesystem::filesystem_error& error) {
    return {failure, error.path1().string(), "cannot access it: {}. Hint: check the path and its permissions",
            error.code().message()};
  } catch (const std::system_error& error) {
    // fmt throws if standard output is closed or full; the library throws if a thread cannot be started.
    if (std::ferror(stdout) != 0)
      return {failure, "standard output", "cannot write the output: {}. Hint: check whether the disk is full",
              error.code().message()};
    return {failure, "system",
            "cannot get a system resource: {}. Hint: check the limit of processes and threads (ulimit -u)",
            error.code().message()};
  } catch (const std::bad_alloc&) {
    return {failure, {.where = memory, .problem = no_memory, .hint = memory_hint}};
  } catch (const std::exception& error) {
    return {failure, "internal", "{}", error.what()};
  }
}

void print_out_of_memory() noexcept {
  for (const char* const part : {"glossa: [", memory, "] ", no_memory, ". Hint: ", memory_hint, "\n"})
    if (::write(STDERR_FILENO, part, std::strlen(part)) < 0) return;
}

EndAtFault::EndAtFault() noexcept : is_of_program_(usual_end != nullptr) {
  if (!is_of_program_) return;
  struct sigaction end {};
  end.sa_handler = [](int) {
    print_out_of_memory();
    _exit(1);
  };
  sigaction(SIGSEGV, &end, &before_);
}

EndAtFault::~EndAtFault() {
  if (is_of_program_) sigaction(SIGSEGV, &before_, nullptr);
}

void end_without_signal_if_out_of_memory() noexcept { usual_end = std::set_terminate(end); }

}  // namespace glossa
