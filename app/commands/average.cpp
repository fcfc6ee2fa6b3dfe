#include <cstdio>

#include "app/commands/commands.h"
#include "data/text/counted.h"
#include "train/run.h"

namespace glossa::commands {

int run(const Average& arguments) {
  check_holds_no_run(arguments.run);  // before the work
  const RunName name(arguments.from, fmt::format("average:{}", arguments.last));
  const Config config = load_run_config(name.folder());
  const LoadedRun run = load_run(name, config);
  const std::filesystem::path written =
      write_new_run(arguments.run, config, run.tokenizers, *run.model, run.state.data_hash);
  fmt::print("wrote the mean of {} of {} to {}\n", counted(arguments.last, "checkpoint"), arguments.from,
             written.string());
  return 0;
}

}  // namespace glossa::commands
