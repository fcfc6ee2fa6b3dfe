#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "config/config.h"
#include "train/processes/job.h"

namespace glossa {

/// Applies the configured threads and GEMM library. Results depend on the GEMM library but not on the number of
/// threads. If several processes of the job may use the same cores, they divide these cores among themselves. Throws as
/// instruction_set() does if GLOSSA_ISA is wrong.
void apply_runtime(const RuntimeConfig& config, const Job& job = Job::alone());

/// Describes the library of float products and, if `precision` needs it, the kind of bf16 or int8 products: "float
/// products by onednn, bf16 by avx512bf16".
std::string describe_products(Precision precision);

/// Describes the computing setup, for the head of a log: "2 threads of 2 available, avx512, float products by onednn".
std::string describe_runtime(Precision precision = Precision::full);

/// Properties of the build and the machine that affect speed.
struct Environment {
  bool built_for_avx2, processor_has_avx2;
  bool has_onednn;
  bool has_fast_bf16;            // true: bf16 products are faster than float products
  int available_threads, cores;  // threads available to the process; cores of the machine
};
Environment environment();

/// Warning that bf16 products use plain loops.
inline constexpr const char* slow_bf16 =
    "products in bf16 take plain loops here, which are several times slower than products in float: this processor has "
    "neither AVX512-BF16 nor AMX, or GLOSSA_ISA excludes them. Hint: use float";

/// Returns one sentence per avoidable cause of slow training with products in `precision`.
std::vector<std::string> warnings(const Environment& around, Precision precision);

/// Makes all threads that start later allocate from one heap. If many threads allocate occasionally, separate heaps
/// (glibc: up to eight per processor) retain ever more unused memory.
void share_one_heap();

/// Returns the process's peak resident memory in MiB.
double peak_rss_mb();

/// Identifies everything outside the program that affects the bits of results: GEMM library, C library and the
/// processor's instruction sets. With bf16, also the kind of bf16 products.
std::string host_fingerprint(Precision precision);

/// Returns the kind of bf16 products that a host_fingerprint names; empty if it names none.
std::string_view bf16_kind_of(std::string_view host);

/// Identifies everything that affects the bits of results: the program's bytes and host_fingerprint(precision).
std::string program_fingerprint(Precision precision);

/// Identifies compiler, instruction set and GEMM library. Results are bit-identical only within one build.
std::string build_fingerprint();

/// Returns a readable form of a build_fingerprint: "g++ 12.2.0 for avx512, float products by onednn".
std::string describe_build(const std::string& fingerprint);

}  // namespace glossa
