#include "app/commands/commands.h"
#include "app/commands/search_speed.h"
#include "data/text/text_file.h"
#include "train/decoding/translator.h"
#include "train/run.h"
#include "train/runtime.h"

namespace glossa::commands {

/// The search alone is timed: loading, splitting into tokens and joining them are left out.
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
  tell_search_speed([&] { return translator.search(sources); }, config.decode.beam, arguments.json);
  return 0;
}

}  // namespace glossa::commands
