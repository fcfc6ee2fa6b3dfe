#include <cstdio>

#include "app/command_line/command_table.h"
#include "app/commands/commands.h"
#include "data/toy/corpus.h"
#include "train/signals.h"

namespace glossa::commands {

namespace {

struct GenerateToyArguments {
  std::string out;
  std::int64_t pairs = 50000, seed = 1;
};

int run(const GenerateToyArguments& arguments) {
  const ToySplits splits = toy_corpus(arguments.pairs, static_cast<std::uint64_t>(arguments.seed), "--pairs");
  const Uninterrupted whole;
  write_toy(arguments.out, splits);
  fmt::print("{}: {} training, {} validation and {} test pairs\n", arguments.out, splits.train.size(),
             splits.valid.size(), splits.test.size());
  return 0;
}

}  // namespace

void add_generate_toy(CommandTable& table) {
  const auto [command, arguments] =
      table.add<GenerateToyArguments>({.name = "toy", .help = "Toy corpus: English to romanized Hindi"}, run);
  command.add_option("--out", arguments.out, "folder to write")->required();
  command.add_option("--pairs", arguments.pairs, "total number of sentence pairs")->capture_default_str();
  command.add_option("--seed", arguments.seed, "seed of the pairs and their order")->capture_default_str();
}

}  // namespace glossa::commands
