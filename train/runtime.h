#pragma once

#include <string>
#include <vector>

#include "train/config/config.h"

namespace glossa {

/// Applies the configured threads and product library. The number of threads changes no result; the product library
/// does. Processes of the job that may use the same cores share them.
void apply_runtime(const RuntimeConfig& config);

/// "2 threads of 2 available, avx512, float products by onednn": the computing setup, for the head of a log.
std::string describe_runtime();

/// Conditions that affect speed, apart from the processor itself.
struct Environment {
  bool built_for_avx2, processor_has_avx2;
  bool has_onednn;
  int available_threads, cores;  // available to the process; total in the machine
};
Environment environment();

/// Returns a sentence for each avoidable cause of slow training.
std::vector<std::string> warnings(const Environment& around);

/// Makes all threads started from now on allocate from one heap. If many threads allocate occasionally, separate heaps
/// (glibc: up to eight per processor) retain unused memory, and more of it every hour.
void share_one_heap();

/// Peak memory of the process, MiB.
double peak_rss_mb();

/// Identity of the bits on this host: the program's bytes, product library, instruction sets.
std::string program_fingerprint();

/// Compiler, instruction set and product library: the same bits are promised per build.
std::string build_fingerprint();

/// Describes a build_fingerprint: "g++ 12.2.0 for avx512, float products by onednn".
std::string describe_build(const std::string& fingerprint);

}  // namespace glossa
