#include "train/runtime.h"

#include <doctest/doctest.h>

#include <cstdlib>
#include <string>

#include "autograd/kernels/bf16/kind.h"
#include "autograd/kernels/gemm.h"
#include "base/parallel.h"
#include "tests/support/restore_runtime.h"

using namespace glossa;

namespace {

constexpr Environment good{.built_for_avx2 = true,
                           .processor_has_avx2 = true,
                           .has_onednn = true,
                           .has_fast_bf16 = true,
                           .available_threads = 2,
                           .cores = 2};

/// The warning after one change to `good`; "" if none.
template <class Change>
std::string warning(const Change& change) {
  Environment environment = good;
  change(environment);
  const std::vector<std::string> found = warnings(environment, Precision::bf16);
  REQUIRE_LE(found.size(), 1);
  return found.empty() ? "" : found.front();
}

bool has(const std::string& text, const char* part) { return text.find(part) != text.npos; }

}  // namespace

TEST_CASE("warnings name a build without AVX2 or oneDNN, and cores that may not be used") {
  CHECK_EQ(warnings(good, Precision::bf16), std::vector<std::string>{});
  CHECK(has(warning([](Environment& s) { s.built_for_avx2 = false; }), "a build of your own"));
  const std::string old = warning([](Environment& s) { s.built_for_avx2 = s.processor_has_avx2 = false; });
  CHECK(has(old, "AVX2"));
  CHECK_FALSE(has(old, "GLOSSA_NATIVE"));  // it would not help
  CHECK(has(warning([](Environment& s) { s.has_onednn = false; }), "libdnnl-dev"));
  CHECK(has(warning([](Environment& s) { s.available_threads = 1; }), "1 of the machine's 2 cores"));
  CHECK_EQ(warning([](Environment& s) { s.available_threads = s.cores = 1; }), "");
  CHECK_EQ(warning([](Environment& s) { s.cores = 8; }), "");
  CHECK_EQ(warnings({.built_for_avx2 = false,
                     .processor_has_avx2 = true,
                     .has_onednn = false,
                     .has_fast_bf16 = false,
                     .available_threads = 1,
                     .cores = 4},
                    Precision::full)
               .size(),
           3);
  const std::string slow = warning([](Environment& s) { s.has_fast_bf16 = false; });
  CHECK(has(slow, "several times slower than products in float"));
}

TEST_CASE("a build is described in words") {
  CHECK_EQ(describe_build("12.2.0, avx512, onednn"), "g++ 12.2.0 for avx512, float products by onednn");
  CHECK_EQ(describe_build("Clang 14.0.6, baseline x86-64, eigen"),
           "Clang 14.0.6 for baseline x86-64, float products by eigen");
  CHECK_EQ(describe_build("another compiler"), "another compiler");
  CHECK(has(describe_build(build_fingerprint()), "float products by "));
}

TEST_CASE("only bf16 adds its kind of products to the description of the runtime and to fingerprints") {
  const std::string kind = std::string(", bf16 by ") + kernels::bf16::kind().name;
  CHECK_EQ(describe_runtime(Precision::bf16), describe_runtime() + kind);
  CHECK_EQ(bf16_kind_of(host_fingerprint(Precision::bf16)), kernels::bf16::kind().name);
  CHECK_EQ(bf16_kind_of(host_fingerprint(Precision::full)), "");
  CHECK_EQ(host_fingerprint(Precision::bf16), host_fingerprint(Precision::full) + kind);
  CHECK_EQ(program_fingerprint(Precision::bf16), program_fingerprint(Precision::full) + kind);
  CHECK_FALSE(has(host_fingerprint(Precision::full), "bf16"));
}

TEST_CASE("the surroundings are those of this build and process") {
  const Environment here = environment();
#ifdef __AVX2__
  CHECK(here.built_for_avx2);
  CHECK(here.processor_has_avx2);  // else this line is not reached
#else
  CHECK_FALSE(here.built_for_avx2);
#endif
  CHECK_EQ(here.has_onednn, kernels::has_gemm_backend(kernels::GemmBackend::onednn));
  CHECK_EQ(here.available_threads, available_threads());
  CHECK_LE(here.available_threads, here.cores);
}

TEST_CASE_FIXTURE(testing::RestoreRuntime, "0 threads means the usual number, which OMP_NUM_THREADS limits") {
  const char* const before = std::getenv("OMP_NUM_THREADS");
  const std::string kept = before ? before : "";
  setenv("OMP_NUM_THREADS", "1", 1);
  apply_runtime({.threads = 3});
  CHECK_EQ(threads(), 3);
  apply_runtime({.threads = 0});
  CHECK_EQ(threads(), 1);
  unsetenv("OMP_NUM_THREADS");
  apply_runtime({.threads = 0});
  CHECK_EQ(threads(), available_threads());
  if (before) setenv("OMP_NUM_THREADS", kept.c_str(), 1);
}

TEST_CASE("peak_rss_mb counts memory that was touched and released") {
  constexpr std::size_t mib = 1 << 20;
  const double before = peak_rss_mb();
  CHECK_GT(before, 1);
  const auto size = static_cast<std::size_t>(before) + 64;
  {
    const std::vector<char> memory(size * mib, 1);
    CHECK_EQ(memory[size * mib / 2], 1);
  }
  CHECK_GE(peak_rss_mb(), static_cast<double>(size));
  CHECK_LT(peak_rss_mb(), 3 * before + 128);
}
