#include "app/commands/arguments.h"
#include "app/commands/command_table.h"
#include "app/commands/commands.h"
#include "app/commands/search_speed.h"
#include "app/measure/benchmark.h"
#include "train/model/memory_check.h"
#include "train/runtime.h"

namespace glossa::commands {

namespace {

struct BenchSearchArguments : BenchmarkArguments {
  std::int64_t beam = 4, sentences = 500, length = 30;
};

/// Times the search alone. Weights and sentences are random, so all translations get the same length.
int run(const BenchSearchArguments& arguments) {
  constexpr SpecialIds specials{.unk = -1, .pad = 0, .bos = 1, .eos = 2};
  constexpr Index source_tokens = 30;
  apply_runtime({.threads = arguments.threads});
  const StepShape& shape = step_shape(arguments.config);
  const TransformerOptions options = options_of(shape);
  check_model_fits("bench", memory_need(options).of_model());
  ParameterStore<float> parameters;
  const Transformer<float> model(parameters, options);
  parameters.allocate(1);
  RandomStream random(0, "bench");
  std::vector<std::vector<int>> sources(static_cast<std::size_t>(arguments.sentences));
  for (std::vector<int>& source : sources)
    for (Index i = 0; i < source_tokens; ++i)
      source.push_back(static_cast<int>(3 + random.below(static_cast<std::uint64_t>(shape.vocabulary - 3))));
  Searcher<float> searcher;
  const DecodeOptions decode{.beam = arguments.beam,
                             .max_length_factor = 0,
                             .max_length_extra = arguments.length,
                             .min_length = arguments.length};
  print_search_speed([&] { return searcher.decode(model, sources, specials, decode); }, arguments.beam, arguments.json);
  return 0;
}

}  // namespace

void add_bench_search(CommandTable& table) {
  const auto [command, arguments] = table.add<BenchSearchArguments>(
      {.name = "search", .help = "Time the translation of random sentences of 30 tokens with random weights"}, run);
  add_benchmark(command, arguments);
  add_beam(command, arguments.beam)->capture_default_str();
  command.add_option("--sentences", arguments.sentences, "number of sentences")
      ->check(CLI::Range(1, 1000000))
      ->capture_default_str();
  command.add_option("--length", arguments.length, "tokens of each translation")
      ->check(CLI::Range(1, 512))
      ->capture_default_str();
}

}  // namespace glossa::commands
