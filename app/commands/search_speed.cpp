#include "app/commands/search_speed.h"

#include <cstdio>

#include "app/measure/benchmark.h"
#include "autograd/heap_counter.h"
#include "autograd/parallel.h"
#include "data/text/counted.h"
#include "train/console/json_line.h"
#include "train/runtime.h"

namespace glossa::commands {

void print_search_speed(const std::function<std::vector<Hypothesis>()>& search, std::int64_t beam, bool json) {
  std::vector<Hypothesis> found = search();  // warm-up
  std::int64_t tokens = 0;
  for (const Hypothesis& hypothesis : found) tokens += std::ssize(hypothesis.tokens) + 1;  // </s>
  // The results belong to the caller: a list for each sentence and one for all sentences.
  const std::size_t before = heap_allocations();
  found = search();
  const auto heap = static_cast<double>(heap_allocations() - before) - static_cast<double>(found.size() + 1);
  std::vector<double> ms(3);
  measure(ms, search);
  const double seconds = ms.front() / 1000, sentences = static_cast<double>(found.size());
  const double per_token = std::max(0.0, heap) / static_cast<double>(tokens);
  if (json) {
    JsonLine line;
    line.add("beam", beam).add("threads", threads()).add("sentences", found.size()).add("tokens", tokens);
    line.add("sentences_per_s", sentences / seconds).add("tokens_per_s", static_cast<double>(tokens) / seconds);
    line.add("heap_allocations_per_token", per_token).add("peak_rss_mb", peak_rss_mb());
    std::puts(line.text().c_str());
    return;
  }
  fmt::print("beam {}, {}: {} in {:.2f} s, {:.0f} sentences/s, {:.0f} tokens/s\n", beam, counted(threads(), "thread"),
             counted(found.size(), "sentence"), seconds, sentences / seconds, static_cast<double>(tokens) / seconds);
  fmt::print("heap allocations per token: {:.3f}; peak memory {:.0f} MiB\n", per_token, peak_rss_mb());
}

}  // namespace glossa::commands
