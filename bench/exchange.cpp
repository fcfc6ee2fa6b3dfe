#include <cstdio>

#include "base/counted.h"
#include "base/json_line.h"
#include "bench/benchmark.h"
#include "bench/commands.h"
#include "train/gradient_sum.h"

namespace glossa::bench {

namespace {

struct ExchangeArguments {
  std::int64_t mebibytes = 64, steps = 15;
  bool json = false;
};

/// Times the communication of an update: gradients go to the processes that sum them, and values come back. Also times
/// a barrier.
int run(const ExchangeArguments& arguments, const Job& job) {
  if (!job.is_several())
    misuse("exchange", "expected several processes; got one. Hint: run mpirun -n 2 glossa-bench exchange");
  ParameterStore<float> parameters;
  const Index size = arguments.mebibytes << 18;
  parameters.declare("numbers", {size}, [](std::span<double>, const Shape&, RandomStream&) {});
  parameters.allocate(1);
  std::vector<Index> bounds;
  for (int rank = 0; rank <= job.count(); ++rank) bounds.push_back(size * rank / job.count());
  GradientSum sum(parameters, job);
  const auto once = [&] {
    sum.add_up(job.count(), bounds, [&](std::int64_t) { parameters.parameters()[0]->grad.set = true; });
    job.share_stretches(parameters.values(), bounds);
  };
  once();
  job.meet();
  std::vector<double> ms(static_cast<std::size_t>(arguments.steps)), nothing(200);
  measure(ms, once);
  measure(nothing, [&] { job.meet(); });
  // Each process sends all gradients except its own slice, and sends its slice of the values to all other processes.
  const std::int64_t bytes = 2 * (job.count() - 1) * size * static_cast<std::int64_t>(sizeof(float)) / job.count();
  const double gb_per_s = static_cast<double>(bytes) / median(ms) / 1e6, latency_us = 1000 * median(nothing);
  if (arguments.json) {
    JsonLine json;
    json.add("processes", job.count()).add("bytes", bytes).add("ms_median", median(ms)).add("gb_per_s", gb_per_s);
    json.add("latency_us", latency_us);
    std::puts(json.text().c_str());
    return 0;
  }
  fmt::print("{}: each sends {:.1f} MiB in {:.2f} ms (median of {}), {:.2f} GB/s; a barrier takes {:.1f} us\n",
             counted(job.count(), "process"), static_cast<double>(bytes) / (1 << 20), median(ms), ms.size(), gb_per_s,
             latency_us);
  return 0;
}

}  // namespace

void add_exchange(CommandTable& table) {
  const auto [command, arguments] = table.add<ExchangeArguments>(
      {.name = "exchange", .help = "Measure how fast the processes of mpirun sum gradients"}, run);
  commands::add_number(command, "--mebibytes", arguments.mebibytes, 1, 4096, "size of the gradients, in MiB");
  commands::add_number(command, "--steps", arguments.steps, 1, 1000000, "timed exchanges");
  command.add_flag("--json", arguments.json, "one JSON object");
}

}  // namespace glossa::bench
