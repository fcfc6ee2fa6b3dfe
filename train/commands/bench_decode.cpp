#include <cstdio>

#include "autograd/heap_counter.h"
#include "autograd/parallel.h"
#include "data/text/counted.h"
#include "data/text/text_file.h"
#include "train/commands/commands.h"
#include "train/console/json_line.h"
#include "train/decoding/translator.h"
#include "train/measure/benchmark.h"
#include "train/run.h"
#include "train/runtime.h"

namespace glossa::commands {

/// The search alone is timed, the best of three: loading, splitting into tokens and joining them are left out.
int run(const BenchDecode& arguments) {
  const RunName name(arguments.run, arguments.checkpoint);
  Config config = load_run_config(name.folder(), arguments.sets, arguments.beam);
  if (arguments.threads > 0) config.runtime.threads = arguments.threads;
  const LoadedRun run = load_run(name, config);
  print_note(name);
  apply_runtime(config.runtime);
  Translator translator(*run.model->transformer, run.tokenizers, config.data, config.decode);
  const Translator::Sources sources =
      translator.encode(read_lines(arguments.source, text_options(config.data)), arguments.source);
  check(!sources.ids.empty(), arguments.source, "expected at least one line with a word in it; got none");

  std::vector<Hypothesis> found = translator.search(sources);  // warm-up
  std::int64_t tokens = 0;
  for (const Hypothesis& hypothesis : found) tokens += std::ssize(hypothesis.tokens) + 1;  // </s>
  // What is handed out is the caller's: a list for each sentence and one for all of them.
  const std::size_t before = heap_allocations();
  found = translator.search(sources);
  const auto heap = static_cast<double>(heap_allocations() - before) - static_cast<double>(found.size() + 1);
  std::vector<double> ms(3);
  measure(ms, [&] { translator.search(sources); });
  const double seconds = ms.front() / 1000, sentences = static_cast<double>(found.size());
  const double per_token = std::max(0.0, heap) / static_cast<double>(tokens);
  if (arguments.json) {
    JsonLine json;
    json.add("beam", config.decode.beam).add("threads", threads()).add("sentences", found.size()).add("tokens", tokens);
    json.add("sentences_per_s", sentences / seconds).add("tokens_per_s", static_cast<double>(tokens) / seconds);
    json.add("heap_allocations_per_token", per_token).add("peak_rss_mb", peak_rss_mb());
    std::puts(json.text().c_str());
    return 0;
  }
  fmt::print("beam {}, {}: {} in {:.2f} s, {:.0f} sentences/s, {:.0f} tokens/s\n", config.decode.beam,
             counted(threads(), "thread"), counted(found.size(), "sentence"), seconds, sentences / seconds,
             static_cast<double>(tokens) / seconds);
  fmt::print("heap allocations a token: {:.3f}; peak memory {:.0f} MiB\n", per_token, peak_rss_mb());
  return 0;
}

}  // namespace glossa::commands
