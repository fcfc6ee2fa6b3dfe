#include "app/commands/arguments.h"
#include "app/commands/command_table.h"
#include "app/commands/commands.h"
#include "app/commands/search_speed.h"
#include "data/text/text_file.h"
#include "train/decoding/translator.h"
#include "train/run.h"
#include "train/runtime.h"

namespace glossa::commands {

namespace {

struct BenchDecodeArguments {
  std::string run, checkpoint, source;
  std::int64_t beam = 0, threads = 0;
  bool json = false;
  std::vector<std::string> sets;
};

/// Times the search alone, without loading, tokenization and detokenization.
int run(const BenchDecodeArguments& arguments) {
  const RunName name(arguments.run, arguments.checkpoint);
  Config config = load_run_config(name.folder(), arguments.sets, arguments.beam);
  if (arguments.threads > 0) config.runtime.threads = arguments.threads;
  const LoadedRun run = load_run(name, config);
  apply_runtime(config.runtime);
  Translator translator(*run.model->transformer, run.tokenizers, config.data, config.decode);
  const Translator::Sources sources =
      translator.encode(read_lines(arguments.source, text_options(config.data)), arguments.source);
  check(!sources.ids.empty(), arguments.source, "expected at least one line with a word; got none");
  print_search_speed([&] { return translator.search(sources); }, config.decode.beam, arguments.json);
  return 0;
}

}  // namespace

void add_bench_decode(CommandTable& table) {
  const auto [command, arguments] =
      table.add<BenchDecodeArguments>({.name = "decode", .help = "Time the translation of a file"}, run);
  add_run(command, arguments.run, arguments.checkpoint);
  command.add_option("--source", arguments.source, "file to translate")->required();
  add_beam(command, arguments.beam);
  add_threads(command, arguments.threads);
  command.add_flag("--json", arguments.json, "one JSON object");
  add_sets(command, arguments.sets);
}

}  // namespace glossa::commands
