#include <cstdio>
#include <filesystem>

#include "app/commands/arguments.h"
#include "app/commands/command_table.h"
#include "app/commands/commands.h"
#include "train/processes/job.h"
#include "train/run.h"
#include "train/trainer.h"

namespace glossa::commands {

namespace {

struct TrainArguments {
  std::string config;
  std::string run;  // empty: runs/NAME for a configuration NAME.yaml
  bool resume = false, dump_config = false;
  std::vector<std::string> sets;
};

int run(const TrainArguments& arguments) {
  const std::filesystem::path named_after_config = "runs" / std::filesystem::path(arguments.config).stem();
  const std::string run = arguments.run.empty() ? named_after_config.string() : arguments.run;
  Config config;
  job().together([&] { config = load_training_config(arguments.config, arguments.sets, run, arguments.resume); });
  if (arguments.dump_config) {
    check(config);
    std::fputs(dump(config).c_str(), stdout);
    return 0;
  }
  take_signals_aside();
  Trainer(config, arguments.config, run, arguments.resume).train();
  return 0;
}

}  // namespace

void add_train(CommandTable& table) {
  const auto [command, arguments] = table.add<TrainArguments>(
      {.name = "train", .help = "Train a model from a configuration", .group = "Train", .in_a_job = true}, run);
  command.add_option("CONFIG", arguments.config, "YAML file; see docs/options.md")->required();
  command.add_option("--run", arguments.run, "folder of the run (default: runs/NAME for NAME.yaml)");
  command.add_flag("--resume", arguments.resume, "resume from the newest valid checkpoint");
  command.add_flag("--dump-config", arguments.dump_config, "print the effective configuration and exit");
  add_force(command);
  add_sets(command, arguments.sets);
}

}  // namespace glossa::commands
