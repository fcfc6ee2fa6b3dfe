#include <cstdio>

#include "autograd/kernels/gemm.h"
#include "base/counted.h"
#include "base/heap.h"
#include "base/json_line.h"
#include "base/parallel.h"
#include "bench/benchmark.h"
#include "bench/commands.h"
#include "train/runtime.h"

namespace glossa::bench {

namespace {

struct StepArguments : BenchmarkArguments {
  std::int64_t steps = 15, accumulate = 1;
};

int run(const StepArguments& arguments, const Job& job) {
  apply_runtime({.threads = arguments.threads}, job);
  const StepShape& shape = step_shape(arguments.config);
  if (arguments.accumulate < job.count())
    misuse("--accumulate", "expected at least {}, one micro-batch per process; got {}", job.count(),
           arguments.accumulate);
  StepBenchmark benchmark(shape, arguments.precision, arguments.accumulate, job);
  for (int i = 0; i < 3; ++i) benchmark.step();  // warm-up
  std::vector<double> ms(static_cast<std::size_t>(arguments.steps));
  const std::size_t heap = heap_allocations(), library = library_heap_allocations();
  measure(ms, [&] { benchmark.step(); });
  const double count = static_cast<double>(ms.size());
  const double per_step = static_cast<double>(heap_allocations() - heap) / count;
  const double library_per_step = static_cast<double>(library_heap_allocations() - library) / count;
  const double tokens_per_s = static_cast<double>(shape.tokens() * arguments.accumulate) / median(ms) * 1000;
  if (arguments.json) {
    JsonLine json;
    json.add("config", shape.name).add("threads", threads()).add("params", benchmark.parameters());
    json.add("ms_median", median(ms)).add("ms_min", ms.front()).add("tokens_per_s", tokens_per_s);
    json.add("heap_allocations_per_step", per_step).add("library_heap_allocations_per_step", library_per_step);
    json.add("peak_rss_mb", peak_rss_mb())
        .add("step_mb", benchmark.step_mib())
        .add("gemm_backend", kernels::name(kernels::gemm_backend()));
    json.add("precision", name_of(arguments.precision))
        .add("accumulate", arguments.accumulate)
        .add("processes", job.count());
    std::puts(json.text().c_str());
    return 0;
  }
  fmt::print("{}: {} parameters, {}, {}\n", shape.name, benchmark.parameters(), counted(threads(), "thread"),
             describe_products(arguments.precision));
  fmt::print("{:.1f} ms per step (median of {}; minimum {:.1f}), {:.0f} tokens/s, peak memory {:.0f} MiB\n", median(ms),
             ms.size(), ms.front(), tokens_per_s, peak_rss_mb());
  if (arguments.accumulate > 1)
    fmt::print("{} micro-batches per step, in {}\n", arguments.accumulate, counted(job.count(), "process"));
  fmt::print("values, gradients and scratch of a step: {:.0f} MiB\n", benchmark.step_mib());
  fmt::print("heap allocations per step: {:.2f}, and {:.0f} inside the product library\n", per_step, library_per_step);
  return 0;
}

}  // namespace

void add_step(CommandTable& table) {
  const auto [command, arguments] = table.add<StepArguments>({.name = "step", .help = "Time a training step"}, run);
  add_benchmark(command, arguments);
  commands::add_number(command, "--steps", arguments.steps, 1, 1000000, "timed steps");
  commands::add_number(command, "--accumulate", arguments.accumulate, 1, 65536,
                       "micro-batches per step, divided among the processes of mpirun");
}

}  // namespace glossa::bench
