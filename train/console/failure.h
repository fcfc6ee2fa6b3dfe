#pragma once

#include <csignal>
#include <exception>

#include "base/check.h"

namespace glossa {

/// Describes any thrown exception as an Error.
Error failure_of(const std::exception_ptr& thrown);

/// Prints the error of failure_of for exhausted memory, as print_error does, but without using any memory.
void print_out_of_memory() noexcept;

/// Makes the program end with this error and status 1, instead of a signal, if memory runs out where no exception can
/// be caught. This covers code before main, and library functions that must not throw. Only for programs that own their
/// signals.
void end_without_signal_if_out_of_memory() noexcept;

/// While it exists, an invalid access to memory (SIGSEGV) ends the program with this error and status 1. If memory runs
/// out, libraries may use the null pointer that they get. Has an effect only if the program has called
/// end_without_signal_if_out_of_memory, because a host of the libraries may have installed a handler itself.
class EndAtFault {
 public:
  EndAtFault() noexcept;
  ~EndAtFault();
  EndAtFault(const EndAtFault&) = delete;
  EndAtFault& operator=(const EndAtFault&) = delete;

 private:
  const bool is_of_program_;
  struct sigaction before_ {};
};

}  // namespace glossa
