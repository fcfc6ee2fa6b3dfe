#pragma once

#include <csignal>
#include <exception>

#include "base/check.h"

namespace glossa {

/// Describes any thrown exception as an Error.
Error failure_of(const std::exception_ptr& thrown);

/// Prints the error of failure_of for exhausted memory, as print_error does, but without using any memory.
void print_out_of_memory() noexcept;

/// Handles exhausted memory where no exception can be caught: in code before main, and in library functions that must
/// not throw. The program then prints the error of print_out_of_memory and ends with status 1 instead of a signal. Only
/// for programs that own their signals.
void end_without_signal_if_out_of_memory() noexcept;

/// While it exists, an invalid access to memory (SIGSEGV) ends the program with the error of print_out_of_memory and
/// status 1. The reason is that some libraries use the null pointer that they get when memory runs out. Has an effect
/// only if the program has called end_without_signal_if_out_of_memory. Other programs may have their own handlers.
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
