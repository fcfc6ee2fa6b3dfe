#include "train/runtime.h"

#include <fmt/core.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "autograd/kernels/gemm.h"
#include "autograd/parallel.h"

namespace glossa {

namespace {

#if defined(__AVX512F__)
constexpr const char* instructions = "avx512";
#elif defined(__AVX2__)
constexpr const char* instructions = "avx2";
#else
constexpr const char* instructions = "baseline x86-64";
#endif

}  // namespace

void limit_spinning(char** argv) {
  if (std::getenv("OMP_WAIT_POLICY") != nullptr || std::getenv("GOMP_SPINCOUNT") != nullptr) return;
  std::error_code error;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", error);
  if (error || setenv("GOMP_SPINCOUNT", "20000", 0) != 0) return;
  execv(program.c_str(), argv);
  // Should that fail, everything is the same but for the waiting.
}

void apply_runtime(const RuntimeConfig& config) {
  set_threads(config.threads == 0 ? available_threads() : static_cast<int>(config.threads));
  if (config.gemm == RuntimeConfig::Gemm::eigen) kernels::set_gemm_backend(kernels::GemmBackend::eigen);
  if (config.gemm == RuntimeConfig::Gemm::onednn) kernels::set_gemm_backend(kernels::GemmBackend::onednn);
}

std::string describe_runtime() {
  return fmt::format("{} thread{} of {} available, {}, float products by {}", threads(), threads() == 1 ? "" : "s",
                     available_threads(), instructions, kernels::name(kernels::gemm_backend()));
}

std::string build_fingerprint() {
  return fmt::format("{}, {}, {}", __VERSION__, instructions, kernels::name(kernels::gemm_backend()));
}

}  // namespace glossa
