#pragma once

namespace glossa {

/// Text of the error if memory runs out.
inline constexpr const char* out_of_memory =
    "[memory] cannot allocate memory: the machine has no more. Hint: lower data.max_tokens, or decode.max_tokens when "
    "translating";

/// Prints this error as print_error does, but without using any memory.
void print_out_of_memory() noexcept;

/// Arranges for the program to end with this error and status 1, instead of a signal, if memory runs out where no
/// exception can be caught: before main, or in a function of a library that must not throw.
void end_without_signal_if_out_of_memory() noexcept;

}  // namespace glossa
