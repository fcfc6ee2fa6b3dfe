#pragma once

namespace glossa {

/// Returns free memory of the heap to the system, after work that needed much more than what follows. Only a hint: does
/// nothing with other C libraries than glibc.
void return_free_memory();

}  // namespace glossa
