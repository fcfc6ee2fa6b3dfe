#include <cstdio>

#include "app/commands/arguments.h"
#include "app/commands/command_table.h"
#include "app/commands/commands.h"
#include "app/measure/product_speed.h"
#include "autograd/parallel.h"
#include "train/console/json_line.h"
#include "train/runtime.h"

namespace glossa::commands {

namespace {

struct BenchGemmArguments : BenchmarkArguments {};

int run(const BenchGemmArguments& arguments) {
  apply_runtime({.threads = arguments.threads});
  StepBenchmark benchmark(step_shape(arguments.config));
  if (!arguments.json) fmt::print("{:>6} {:>6} {:>6}  {:3} {:>6}   GFLOP/s\n", "m", "n", "k", "", "calls");
  for (const auto& [product, calls] : products_of(benchmark)) {
    if (product.per_head) continue;
    const std::string transposes{product.transposed_a ? 'T' : 'N', product.transposed_b ? 'T' : 'N'};
    JsonLine json;
    json.add("m", product.m).add("n", product.n).add("k", product.k).add("transposes", transposes).add("calls", calls);
    std::string line;
    for (const auto& [way, ms] : time_product(product)) {
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

}  // namespace

void add_bench_gemm(CommandTable& table) {
  const auto [command, arguments] =
      table.add<BenchGemmArguments>({.name = "gemm", .help = "Measure the matrix products of a training step"}, run);
  add_benchmark(command, arguments);
}

}  // namespace glossa::commands
