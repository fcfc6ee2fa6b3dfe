#include "train/runtime.h"

#include <fmt/core.h>
#include <gnu/libc-version.h>
#include <malloc.h>
#include <unistd.h>

#include <fstream>
#include <limits>

#include "autograd/kernels/bf16/kind.h"
#include "autograd/kernels/gemm.h"
#include "autograd/kernels/int8/kind.h"
#include "autograd/processor.h"
#include "base/console/failure.h"
#include "base/counted.h"
#include "base/own_object.h"
#include "base/parallel.h"
#include "data/text/text_file.h"
#include "train/checkpoint/sha256.h"

namespace glossa {

namespace {

#if defined(__AVX512F__)
constexpr std::string_view instructions = "avx512";
#elif defined(__AVX2__)
constexpr std::string_view instructions = "avx2";
#else
constexpr std::string_view instructions = "baseline x86-64";
#endif

constexpr std::string_view bf16_label = ", bf16 by ";

/// Formats the kind of bf16 products for the end of a list: ", bf16 by avx512bf16". Empty in full precision.
std::string bf16_kind(Precision precision) {
  return precision == Precision::bf16 ? fmt::format("{}{}", bf16_label, kernels::bf16::kind().name) : "";
}

}  // namespace

void apply_runtime(const RuntimeConfig& config, const Job& job) {
  instruction_set();  // throws if GLOSSA_ISA is wrong
  const Transport::Place& place = job.place();
  const int share = (available_threads() + place.sharing - 1 - place.turn) / place.sharing;
  set_threads(config.threads == 0 ? usual_threads(std::max(1, share)) : static_cast<int>(config.threads));
  if (config.gemm == RuntimeConfig::Gemm::eigen) kernels::set_gemm_backend(kernels::GemmBackend::eigen);
  if (config.gemm == RuntimeConfig::Gemm::onednn) kernels::set_gemm_backend(kernels::GemmBackend::onednn);
  const EndAtFault guard;  // if memory for generated code is lacking, oneDNN writes to a null pointer
  kernels::prepare_gemm();
}

std::string describe_products(Precision precision) {
  const std::string integers =
      precision == Precision::int8 ? fmt::format(", int8 by {}", kernels::int8::kind().name) : "";
  return fmt::format("float products by {}{}{}", kernels::name(kernels::gemm_backend()), bf16_kind(precision),
                     integers);
}

std::string describe_runtime(Precision precision) {
  return fmt::format("{} of {} available, {}, {}", counted(threads(), "thread"), available_threads(), instructions,
                     describe_products(precision));
}

Environment environment() {
  return {.built_for_avx2 = instructions.starts_with("avx"),
          .processor_has_avx2 = __builtin_cpu_supports("avx2") != 0,
          .has_onednn = kernels::has_gemm_backend(kernels::GemmBackend::onednn),
          .has_fast_bf16 = &kernels::bf16::kind() != &kernels::bf16::plain(),
          .available_threads = available_threads(),
          .cores = static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN))};
}

std::vector<std::string> warnings(const Environment& environment, Precision precision) {
  std::vector<std::string> found;
  if (!environment.processor_has_avx2)
    found.push_back("this processor has no AVX2: training takes several times as long as on one with it");
  else if (!environment.built_for_avx2)
    found.push_back(
        "this program was built for any x86-64 processor and uses this one's AVX2 only in oneDNN's products. Hint: "
        "a build of your own on this machine is up to 1.3 times as fast");
  if (!environment.has_onednn)
    found.push_back(
        "this program was built without oneDNN: its products are about a third slower. Hint: install libdnnl-dev and "
        "build again");
  if (precision == Precision::bf16 && !environment.has_fast_bf16) found.push_back(slow_bf16);
  if (environment.available_threads == 1 && environment.cores > 1)
    found.push_back(fmt::format(
        "only 1 of the machine's {} cores may be used. Hint: raise the limit (taskset, the container's --cpus)",
        environment.cores));
  return found;
}

void share_one_heap() { mallopt(M_ARENA_MAX, 1); }

double peak_rss_mb() {
  // Not getrusage: its figure includes the parent program's memory before exec.
  std::ifstream status("/proc/self/status");
  for (std::string key; status >> key; status.ignore(std::numeric_limits<std::streamsize>::max(), '\n')) {
    double kib = 0;
    if (key == "VmHWM:" && status >> kib) return kib / 1024;
  }
  return 0;
}

std::string host_fingerprint(Precision precision) {
  // The C library and the GEMM library choose their loops by processor.
  return fmt::format("products by {}, C library {}, avx2 {}, fma {}, avx512 {}{}", kernels::describe_gemm_backend(),
                     gnu_get_libc_version(), __builtin_cpu_supports("avx2") != 0, __builtin_cpu_supports("fma") != 0,
                     __builtin_cpu_supports("avx512f") != 0, bf16_kind(precision));
}

std::string_view bf16_kind_of(std::string_view host) {
  const std::size_t at = host.rfind(bf16_label);
  return at == host.npos ? "" : host.substr(at + bf16_label.size());
}

std::string program_fingerprint(Precision precision) {
  const std::string program = read_file(own_object(), std::numeric_limits<std::size_t>::max());
  // Eigen's loops are compiled into the program.
  return fmt::format("program {:.16} for {}, {}", Sha256().update(program).hex_digest(), instructions,
                     host_fingerprint(precision));
}

std::string build_fingerprint() {
  return fmt::format("{}, {}, {}", __VERSION__, instructions, kernels::name(kernels::gemm_backend()));
}

std::string describe_build(const std::string& fingerprint) {
  const std::size_t instructions_at = fingerprint.find(", "), products_at = fingerprint.rfind(", ");
  if (instructions_at == products_at) return fingerprint;
  const std::string compiler = fingerprint.substr(0, instructions_at);
  const bool is_number = compiler.find_first_not_of("0123456789.") == compiler.npos;  // g++'s __VERSION__
  return fmt::format("{}{} for {}, float products by {}", is_number ? "g++ " : "", compiler,
                     fingerprint.substr(instructions_at + 2, products_at - instructions_at - 2),
                     fingerprint.substr(products_at + 2));
}

}  // namespace glossa
