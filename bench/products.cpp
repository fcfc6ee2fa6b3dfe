#include <cstdio>
#include <map>

#include "autograd/kernels/bf16/product.h"
#include "autograd/kernels/bf16/round.h"
#include "autograd/kernels/gemm.h"
#include "base/counted.h"
#include "base/json_line.h"
#include "base/parallel.h"
#include "bench/benchmark.h"
#include "bench/commands.h"
#include "train/runtime.h"

namespace glossa::bench {

namespace {

constexpr double at_least_ms = 20;  // minimum duration of a measurement; the clock's error is then negligible

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

/// A matrix product of a training step, and the number of times the step computes it.
struct StepProduct {
  kernels::Product product;
  Index calls = 0;
};

/// Returns all matrix products of one training step, those with the most work first.
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

/// Times a matrix product by several methods, and returns each method's minimum in milliseconds. "onednn" and "eigen"
/// compute the product in tiles, as in training; "onednn_whole" is a single call that uses oneDNN's own threads. In
/// bf16, both factors are rounded beforehand. "packed" gets a right factor that is also packed; "in_tiles" packs it.
std::map<std::string, double> time_product(const kernels::Product& p, Precision precision) {
  const std::vector<float> a = random_matrix(p.m * p.k), b = random_matrix(p.k * p.n);
  std::vector<float> c(static_cast<std::size_t>(p.m * p.n));
  kernels::Factor<float> left{a.data(), p.transposed_a ? p.m : p.k, p.transposed_a};
  kernels::Factor<float> right{b.data(), p.transposed_b ? p.k : p.n, p.transposed_b};
  return precision == Precision::bf16 ? time_in_bf16(p, left, right, c) : time_in_float(p, left, right, c);
}

/// Returns the memory's speed in bytes per second. All threads read two arrays and write one of them, as an optimizer
/// does.
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

int run_gemm(const BenchmarkArguments& arguments) {
  apply_runtime({.threads = arguments.threads});
  StepBenchmark benchmark(step_shape(arguments.config), arguments.precision);
  if (!arguments.json) fmt::print("{:>6} {:>6} {:>6}  {:3} {:>6}   GFLOP/s\n", "m", "n", "k", "", "calls");
  for (const auto& [product, calls] : products_of(benchmark)) {
    if (product.per_head) continue;
    const std::string transposes{product.transposed_a ? 'T' : 'N', product.transposed_b ? 'T' : 'N'};
    JsonLine json;
    json.add("m", product.m).add("n", product.n).add("k", product.k).add("transposes", transposes).add("calls", calls);
    std::string line;
    for (const auto& [way, ms] : time_product(product, arguments.precision)) {
      const double gflops = product.flop() / ms / 1e6;
      json.add(way, gflops);
      line += fmt::format("  {} {:.0f}", way, gflops);
    }
    if (arguments.json)
      std::puts(json.text().c_str());
    else
      fmt::print("{:6} {:6} {:6}  {:3} {:6} {}\n", product.m, product.n, product.k, transposes, calls, line);
  }
  return 0;
}

/// Measures a lower bound for a training step: its matrix products, each by the fastest method, plus Adam's memory
/// traffic. Compares the bound with glossa's step.
int run_floor(const BenchmarkArguments& arguments) {
  constexpr double attention_flops = 100e9;  // flop per second that small products of single heads can reach
  constexpr double adam_bytes = 28;          // bytes per parameter: reads four numbers, writes all except the gradient
  apply_runtime({.threads = arguments.threads});
  StepBenchmark benchmark(step_shape(arguments.config), arguments.precision);
  double linear_ms = 0, attention_ms = 0, flop = 0;
  for (const auto& [product, calls] : products_of(benchmark)) {
    const double count = static_cast<double>(calls);
    flop += product.flop() * count;
    if (product.per_head) {
      attention_ms += product.flop() * count / attention_flops * 1000;
      continue;
    }
    double fastest = std::numeric_limits<double>::infinity();
    for (const auto& [way, ms] : time_product(product, arguments.precision)) fastest = std::min(fastest, ms);
    linear_ms += fastest * count;
  }
  const double bandwidth = memory_bandwidth();
  const double adam_ms = adam_bytes * static_cast<double>(benchmark.parameters()) / bandwidth * 1000;
  const double floor_ms = linear_ms + attention_ms + adam_ms;
  for (int i = 0; i < 3; ++i) benchmark.step();  // warm-up
  std::vector<double> ms(15);
  measure(ms, [&] { benchmark.step(); });
  const double share = floor_ms / median(ms);

  if (arguments.json) {
    JsonLine json;
    json.add("config", arguments.config).add("threads", threads()).add("gflop", flop / 1e9);
    json.add("linear_ms", linear_ms).add("attention_ms", attention_ms).add("adam_ms", adam_ms);
    json.add("bandwidth_gb_per_s", bandwidth / 1e9).add("floor_ms", floor_ms).add("step_ms", median(ms));
    json.add("share_of_floor", share).add("precision", name_of(arguments.precision));
    std::puts(json.text().c_str());
    return 0;
  }
  fmt::print("{}: {:.1f} GFLOP per step, {}, {}\n", arguments.config, flop / 1e9, counted(threads(), "thread"),
             describe_products(arguments.precision));
  fmt::print("linear products {:.1f} ms, attention {:.1f} ms, Adam {:.1f} ms at {:.1f} GB/s\n", linear_ms, attention_ms,
             adam_ms, bandwidth / 1e9);
  fmt::print("floor {:.1f} ms, step {:.1f} ms: {:.0f} % of the floor's speed\n", floor_ms, median(ms), 100 * share);
  return 0;
}

}  // namespace

void add_gemm(CommandTable& table) {
  const auto [command, arguments] = table.add<BenchmarkArguments>(
      {.name = "gemm", .help = "Measure the matrix products of a training step"}, run_gemm);
  add_benchmark(command, arguments);
}

void add_floor(CommandTable& table) {
  const auto [command, arguments] = table.add<BenchmarkArguments>(
      {.name = "floor",
       .help = "Compute the minimum time of a training step, from products and Adam's memory traffic alone"},
      run_floor);
  add_benchmark(command, arguments);
}

}  // namespace glossa::bench
