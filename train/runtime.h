#pragma once

#include <string>

#include "train/config.h"

namespace glossa {

/// Lets threads that wait for work give way after a moment, which on a machine with other work speeds everything up.
/// OpenMP's library reads how long from the environment when it is loaded; where nothing is said there, the program
/// starts itself again, as the same process, with it. Call it first of all.
void limit_spinning(char** argv);

/// Sets threads and product library as the configuration says. The number of threads changes no result; the product
/// library does.
void apply_runtime(const RuntimeConfig& config);

/// "2 threads of 2 available, avx512, float products by onednn": what the run computes with, for the first lines of a
/// log.
std::string describe_runtime();

/// Compiler, instruction set and product library: the same bits are promised within one.
std::string build_fingerprint();

}  // namespace glossa
