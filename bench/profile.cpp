#include <algorithm>
#include <cstdio>
#include <numeric>

#include "base/json_line.h"
#include "bench/benchmark.h"
#include "bench/commands.h"
#include "train/runtime.h"

namespace glossa::bench {

namespace {

struct ProfileArguments : BenchmarkArguments {
  std::int64_t steps = 10;
};

/// Prints a breakdown of a step's time. Apart from profiling overhead, the rows add up to the step's time, which is
/// measured separately.
int run(const ProfileArguments& arguments) {
  apply_runtime({.threads = arguments.threads});
  StepBenchmark benchmark(step_shape(arguments.config), arguments.precision);
  for (int i = 0; i < 3; ++i) benchmark.step();  // warm-up
  Profile profile;
  std::vector<double> step_ms(static_cast<std::size_t>(arguments.steps));
  measure(step_ms, [&] { benchmark.step(&profile); });

  std::vector<Profile::Row> rows = profile.rows();
  std::ranges::sort(rows, std::greater{}, &Profile::Row::seconds);
  const double steps = static_cast<double>(arguments.steps);
  const double step = std::accumulate(step_ms.begin(), step_ms.end(), 0.0) / steps;
  if (!arguments.json)
    fmt::print("{:26} {:>7} {:>9} {:>7} {:>9} {:>7}\n", "part of the step", "calls", "ms", "share", "GFLOP/s", "GB/s");
  for (const Profile::Row& row : rows) {
    const double ms = row.seconds / steps * 1000, share = ms / step;
    const double gflops = row.flop / row.seconds / 1e9, gbs = row.bytes / row.seconds / 1e9;
    const std::string name = row.name + (row.backward ? ", backward" : "");
    if (arguments.json) {
      JsonLine json;
      json.add("part", name).add("calls", static_cast<double>(row.calls) / steps).add("ms", ms).add("share", share);
      json.add("gflops", gflops).add("gb_per_s", gbs).add("step_ms", step);
      std::puts(json.text().c_str());
    } else {
      fmt::print("{:26} {:7.0f} {:9.2f} {:6.1f}% {:>9} {:>7}\n", name, static_cast<double>(row.calls) / steps, ms,
                 100 * share, row.flop > 0 ? fmt::format("{:.0f}", gflops) : "",
                 row.bytes > 0 ? fmt::format("{:.1f}", gbs) : "");
    }
  }
  if (!arguments.json) fmt::print("{:26} {:7} {:9.2f}\n", "whole step", "", step);
  return 0;
}

}  // namespace

void add_profile(CommandTable& table) {
  const auto [command, arguments] =
      table.add<ProfileArguments>({.name = "profile", .help = "Show where the time of a training step goes"}, run);
  add_benchmark(command, arguments);
  commands::add_number(command, "--steps", arguments.steps, 1, 1000000, "timed steps");
}

}  // namespace glossa::bench
