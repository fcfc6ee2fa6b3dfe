#include <cstdio>
#include <functional>

#include "autograd/quantized.h"
#include "base/counted.h"
#include "base/heap.h"
#include "base/json_line.h"
#include "base/parallel.h"
#include "bench/benchmark.h"
#include "bench/commands.h"
#include "data/text/text_file.h"
#include "decoding/translator.h"
#include "train/model/memory_check.h"
#include "train/run.h"
#include "train/runtime.h"

namespace glossa::bench {

namespace {

/// Prints a search's speed (best of three, after a warm-up) and the heap allocations of one more search.
void print_search_speed(const std::function<std::vector<Hypothesis>()>& search, const DecodeOptions& options,
                        bool json) {
  const std::int64_t beam = options.beam;
  std::vector<Hypothesis> found = search();  // warm-up
  std::int64_t tokens = 0;
  for (const Hypothesis& hypothesis : found) tokens += std::ssize(hypothesis.tokens) + 1;  // plus </s>
  // Excludes the allocations of the results: one list per sentence, and one list for all sentences.
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
    line.add("precision", name_of(options.precision));
    std::puts(line.text().c_str());
    return;
  }
  fmt::print("beam {}, {}: {} in {:.2f} s, {:.0f} sentences/s, {:.0f} tokens/s\n", beam, counted(threads(), "thread"),
             counted(found.size(), "sentence"), seconds, sentences / seconds, static_cast<double>(tokens) / seconds);
  fmt::print("heap allocations per token: {:.3f}; peak memory {:.0f} MiB; {}\n", per_token, peak_rss_mb(),
             describe_products(options.precision));
}

struct DecodeArguments {
  std::string run, checkpoint, source;
  std::int64_t beam = 0, threads = 0;
  std::optional<Precision> precision;  // empty: the run's setting
  bool json = false;
  std::vector<std::string> sets;
};

/// Times only the search, without loading, tokenization and detokenization.
int run_decode(const DecodeArguments& arguments) {
  const RunName name(arguments.run, arguments.checkpoint);
  Config config = load_run_config(name.folder(), arguments.sets, arguments.beam, arguments.precision);
  if (arguments.threads > 0) config.runtime.threads = arguments.threads;
  const LoadedRun run = load_run(name, config);
  apply_runtime(config.runtime);
  Translator translator(*run.model->transformer, run.tokenizers, config.data, config.decode);
  const Translator::Sources sources =
      translator.encode(read_lines(arguments.source, config.data.reading.text), arguments.source);
  check(!sources.ids.empty(), arguments.source, "expected at least one line with a word; got none");
  print_search_speed([&] { return translator.search(sources); }, config.decode, arguments.json);
  return 0;
}

struct SearchArguments : BenchmarkArguments {
  std::int64_t beam = 4, sentences = 500, length = 30;
};

/// Times only the search. Weights and sentences are random, and all translations get the same length.
int run_search(const SearchArguments& arguments) {
  constexpr SpecialIds specials{.unk = -1, .pad = 0, .bos = 1, .eos = 2};
  constexpr Index source_tokens = 30;
  apply_runtime({.threads = arguments.threads});
  const StepShape& shape = step_shape(arguments.config);
  const TransformerOptions options = options_of(shape);
  check_model_fits("--config", memory_need(options).of_model());
  ParameterStore<float> parameters;
  const Transformer<float> model(parameters, options);
  parameters.allocate(1);
  std::optional<QuantizedMatrices> quantized;
  if (arguments.precision == Precision::int8) quantized.emplace(parameters);
  RandomStream random(0, "bench");
  std::vector<std::vector<int>> sources(static_cast<std::size_t>(arguments.sentences));
  for (std::vector<int>& source : sources)
    for (Index i = 0; i < source_tokens; ++i)
      source.push_back(static_cast<int>(3 + random.below(static_cast<std::uint64_t>(shape.vocabulary - 3))));
  Searcher<float> searcher;
  const DecodeOptions decode{.beam = arguments.beam,
                             .max_length_factor = 0,
                             .max_length_extra = arguments.length,
                             .min_length = arguments.length,
                             .precision = arguments.precision};
  print_search_speed([&] { return searcher.decode(model, sources, specials, decode); }, decode, arguments.json);
  return 0;
}

}  // namespace

void add_decode(CommandTable& table) {
  const auto [command, arguments] =
      table.add<DecodeArguments>({.name = "decode", .help = "Time the translation of a file"}, run_decode);
  commands::add_run(command, arguments.run, arguments.checkpoint);
  command.add_option("--source", arguments.source, "file to translate")->required();
  commands::add_beam(command, arguments.beam);
  commands::add_precision(command, arguments.precision);
  commands::add_threads(command, arguments.threads);
  command.add_flag("--json", arguments.json, "one JSON object");
  commands::add_sets(command, arguments.sets);
}

void add_search(CommandTable& table) {
  const auto [command, arguments] = table.add<SearchArguments>(
      {.name = "search", .help = "Time the translation of random sentences of 30 tokens with random weights"},
      run_search);
  add_benchmark(command, arguments, /*decodes=*/true);
  commands::add_beam(command, arguments.beam)->capture_default_str();
  commands::add_number(command, "--sentences", arguments.sentences, 1, 1000000, "number of sentences");
  commands::add_number(command, "--length", arguments.length, 1, 512, "tokens of each translation");
}

}  // namespace glossa::bench
