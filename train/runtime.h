#pragma once

#include <string>
#include <vector>

#include "train/config/config.h"

namespace glossa {

/// Sets threads and product library as the configuration says. The number of threads changes no result; the product
/// library does. Processes of the job that may use the same cores share them out.
void apply_runtime(const RuntimeConfig& config);

/// "2 threads of 2 available, avx512, float products by onednn": what the run computes with, for the first lines of a
/// log.
std::string describe_runtime();

/// What decides how fast the program can be, beside the processor itself.
struct Surroundings {
  bool built_for_avx2, processor_has_avx2;
  bool has_onednn;
  int available_threads, cores;  // those that the process may use, those that the machine has
};
Surroundings surroundings();

/// A sentence for each thing that makes training slower than it need be.
std::vector<std::string> warnings(const Surroundings& around);

/// Has all threads that are started from now on allocate from one heap. With many of them, each of which allocates
/// now and then, heaps of their own (glibc: up to eight a processor) keep what nobody uses, and more with every hour.
void share_one_heap();

/// Most memory that the process ever held, MiB.
double peak_rss_mb();

/// What makes the bits on this host: the program to the byte, product library, instruction sets.
std::string program_fingerprint();

/// Compiler, instruction set and product library: the same bits are promised within one.
std::string build_fingerprint();

/// A build_fingerprint in words: "g++ 12.2.0 for avx512, float products by onednn".
std::string describe_build(const std::string& fingerprint);

}  // namespace glossa
