#include <cstdio>

#include "app/command_line/arguments.h"
#include "app/command_line/command_table.h"
#include "app/commands/commands.h"
#include "base/check.h"
#include "base/console/print.h"
#include "base/counted.h"
#include "data/corpora/corpus_doubts.h"
#include "train/prepared/corpus_cache.h"
#include "train/runtime.h"
#include "train/warm_start.h"

namespace glossa::commands {

namespace {

struct PrepareArguments {
  std::string config;
  std::vector<std::string> sets;
  bool lists = false, clears = false, verifies = false;
};

/// Describes a prepared corpus in one line.
std::string describe(const CachedCorpus& corpus) {
  const std::string size = in_bytes(static_cast<double>(corpus.bytes));
  if (!corpus.record) return fmt::format("{}: {}, damaged or of another version", corpus.folder.string(), size);
  return fmt::format("{}: {}, {} of {}", corpus.folder.string(), size, counted(corpus.record->sizes.pairs, "pair"),
                     corpus.record->text.sample.name);
}

int run(const PrepareArguments& arguments) {
  const Config config = load_config(arguments.config, arguments.sets);
  CorpusCache cache(config.data);
  if (arguments.lists)
    for (const CachedCorpus& each : cache.list()) fmt::print("{}\n", describe(each));
  if (arguments.clears)
    fmt::print("freed {} in {}\n", in_bytes(static_cast<double>(cache.clear())), cache.folder().string());
  if (arguments.lists || arguments.clears) return 0;
  if (arguments.config.empty())
    misuse("command line", "expected CONFIG, --list or --clear; got none of them. Hint: glossa prepare CONFIG.yaml");
  validate(config);
  apply_runtime(config.runtime);
  if (const std::string note = note_on_ignored(config.data, {}); !note.empty()) print_note("note: {}\n", note);
  const auto corpus = cache.get(config, {}, warm_start_tokenizers(config));
  if (arguments.verifies) corpus->verify_all(config, {});
  fmt::print("{}: {}\n", corpus->folder().string(), describe(corpus->report));
  if (!is_large(config.data, {}))
    print_note("note: training keeps this text in memory, as it has at most {} MiB; see data.prepare_above\n",
               config.data.prepare_above);
  return 0;
}

}  // namespace

void add_prepare(CommandTable& table) {
  const auto [command, arguments] = table.add<PrepareArguments>(
      {.name = "prepare", .help = "Prepare a large corpus before training", .group = "Train"}, run);
  command.add_option("CONFIG", arguments.config, "configuration whose data.train is prepared");
  add_sets(command, arguments.sets);
  CLI::Option* const lists = command.add_flag("--list", arguments.lists, "list the prepared corpora");
  CLI::Option* const clears = command.add_flag("--clear", arguments.clears, "remove them")->excludes(lists);
  command.add_flag("--verify", arguments.verifies, "compare what is prepared with its checksums and with the text")
      ->excludes(lists)
      ->excludes(clears);
}

}  // namespace glossa::commands
