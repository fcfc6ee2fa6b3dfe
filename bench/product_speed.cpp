#include "bench/product_speed.h"

#include "autograd/kernels/bf16/product.h"
#include "autograd/kernels/bf16/round.h"
#include "autograd/kernels/gemm.h"
#include "base/check.h"
#include "base/parallel.h"

namespace glossa::bench {

namespace {

constexpr double at_least_ms = 20;  // minimum duration of a measurement, so that the clock's error is negligible

std::vector<float> random_matrix(Index elements) {
  RandomStream random(0, "bench gemm");
  std::vector<float> matrix(static_cast<std::size_t>(elements));
  for (float& x : matrix) x = static_cast<float>(random.uniform() - 0.5);
  return matrix;
}

template <class Work>
double min_ms(const Work& work) {
  work();
  double once[1];
  measure(once, work);
  std::vector<double> ms(static_cast<std::size_t>(std::clamp(at_least_ms / std::max(once[0], 1e-3), 3.0, 1000.0)));
  measure(ms, work);
  return ms.front();
}

std::map<std::string, double> time_in_float(const kernels::Product& p, const kernels::Factor<float>& left,
                                            const kernels::Factor<float>& right, std::vector<float>& c) {
  std::map<std::string, double> ms;
  const kernels::GemmBackend before = kernels::gemm_backend();
  for (const auto backend : {kernels::GemmBackend::onednn, kernels::GemmBackend::eigen}) {
    if (!kernels::has_gemm_backend(backend)) continue;
    kernels::set_gemm_backend(backend);
    ms[kernels::name(backend)] = min_ms([&] { kernels::gemm<float>(p.m, p.n, p.k, left, right, 0, {c.data(), p.n}); });
  }
  kernels::set_gemm_backend(before);
  if (kernels::has_gemm_backend(kernels::GemmBackend::onednn))
    ms["onednn_whole"] = min_ms([&] { kernels::onednn_tile(p.m, p.n, p.k, left, right, 0, c.data(), p.n, threads()); });
  return ms;
}

std::map<std::string, double> time_in_bf16(const kernels::Product& p, kernels::Factor<float> left,
                                           kernels::Factor<float> right, std::vector<float>& c) {
  std::vector<Bf16> a(static_cast<std::size_t>(p.m * p.k)), b(static_cast<std::size_t>(p.k * p.n));
  kernels::bf16::round({left.data, {std::ssize(a)}}, a.data());
  kernels::bf16::round({right.data, {std::ssize(b)}}, b.data());
  left.rounded = a.data();
  right.rounded = b.data();
  const auto multiply = [&] { kernels::gemm<float>(p.m, p.n, p.k, left, right, 0, {c.data(), p.n}, Precision::bf16); };
  std::map<std::string, double> ms{{"in_tiles", min_ms(multiply)}};
  std::vector<std::uint32_t> panels(static_cast<std::size_t>(kernels::bf16::packed_size(p.n, p.k)));
  for (Index panel = 0; panel < kernels::panels(p.n); ++panel)
    kernels::bf16::pack_panel(kernels::bf16::kind(), p.n, p.k, right, panel, panels.data());
  right.packed = panels.data();
  ms["packed"] = min_ms(multiply);
  return ms;
}

}  // namespace

std::vector<StepProduct> products_of(StepBenchmark& benchmark) {
  const kernels::ProductLog log;
  benchmark.step();
  std::vector<StepProduct> products;
  for (const kernels::Product& product : log.products) {
    auto found = std::ranges::find(products, product, &StepProduct::product);
    if (found == products.end()) found = products.insert(found, {product, 0});
    ++found->calls;
  }
  std::ranges::sort(products, std::greater{},
                    [](const StepProduct& p) { return p.product.flop() * static_cast<double>(p.calls); });
  return products;
}

std::map<std::string, double> time_product(const kernels::Product& p, Precision precision) {
  check(!p.per_head, "gemm", "expected a single product; got those of all heads of an attention");
  const std::vector<float> a = random_matrix(p.m * p.k), b = random_matrix(p.k * p.n);
  std::vector<float> c(static_cast<std::size_t>(p.m * p.n));
  kernels::Factor<float> left{a.data(), p.transposed_a ? p.m : p.k, p.transposed_a};
  kernels::Factor<float> right{b.data(), p.transposed_b ? p.k : p.n, p.transposed_b};
  return precision == Precision::bf16 ? time_in_bf16(p, left, right, c) : time_in_float(p, left, right, c);
}

double memory_bandwidth() {
  const std::vector<float> from(std::size_t{1} << 25, 1.0f);
  std::vector<float> to(from.size());
  const auto add = [&](Index begin, Index end) {
#pragma omp simd
    for (Index i = begin; i < end; ++i) to[i] = 0.5f * to[i] + from[i];
  };
  const double ms = min_ms([&] { parallel_ranges(std::ssize(to), 16384, add); });
  return 3 * sizeof(float) * static_cast<double>(to.size()) / (ms / 1000);
}

}  // namespace glossa::bench
