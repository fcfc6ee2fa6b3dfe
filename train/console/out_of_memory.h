#pragma once

#include <csignal>

namespace glossa {

/// Parts of the error if memory runs out.
namespace out_of_memory {
inline constexpr const char* where = "memory";
inline constexpr const char* problem = "cannot allocate memory: the machine has no more";
inline constexpr const char* hint = "lower data.max_tokens, or decode.max_tokens when translating";
}  // namespace out_of_memory

/// Prints this error as print_error does, but without using any memory.
void print_out_of_memory() noexcept;

/// Arranges for the program to end with this error and status 1, instead of a signal, if memory runs out where no
/// exception can be caught: before main, or in a function of a library that must not throw.
void end_without_signal_if_out_of_memory() noexcept;

/// While it lives, an invalid access to memory (SIGSEGV) ends the program with this error and status 1, as libraries
/// may use the null pointer that they get when memory runs out.
class EndAtFault {
 public:
  EndAtFault() noexcept;
  ~EndAtFault();
  EndAtFault(const EndAtFault&) = delete;
  EndAtFault& operator=(const EndAtFault&) = delete;

 private:
  struct sigaction before_ {};
};

}  // namespace glossa
