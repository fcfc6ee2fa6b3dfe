#include "train/console/out_of_memory.h"

#include <unistd.h>

#include <cstring>
#include <exception>
#include <initializer_list>
#include <new>

namespace glossa {

namespace {

std::terminate_handler usual_end = nullptr;

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

void print_out_of_memory() noexcept {
  for (const char* const part :
       {"glossa: [", out_of_memory::where, "] ", out_of_memory::problem, ". Hint: ", out_of_memory::hint, "\n"})
    if (::write(STDERR_FILENO, part, std::strlen(part)) < 0) return;
}

EndAtFault::EndAtFault() noexcept {
  struct sigaction end {};
  end.sa_handler = [](int) {
    print_out_of_memory();
    _exit(1);
  };
  sigaction(SIGSEGV, &end, &before_);
}

EndAtFault::~EndAtFault() { sigaction(SIGSEGV, &before_, nullptr); }

void end_without_signal_if_out_of_memory() noexcept { usual_end = std::set_terminate(end); }

}  // namespace glossa
