#include <cstdio>

#include "base/parallel.h"
#include "bench/arguments.h"
#include "bench/commands.h"
#include "bench/product_speed.h"
#include "data/text/counted.h"
#include "train/console/json_line.h"
#include "train/runtime.h"

namespace glossa::bench {

namespace {

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

/// Measures a lower bound for a training step: its matrix products, each by the fastest method, plus Adam's
/// memory traffic. Compares it with glossa's step.
int run_floor(const BenchmarkArguments& arguments) {
  constexpr double attention_flops = 100e9;  // per second; a rate that small products of single heads can reach
  constexpr double adam_bytes = 28;          // per parameter: reads four numbers, writes all but the gradient
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
