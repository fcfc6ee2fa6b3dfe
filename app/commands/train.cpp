#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "app/commands/arguments.h"
#include "app/commands/command_table.h"
#include "app/commands/commands.h"
#include "autograd/check.h"
#include "data/text/shell_word.h"
#include "train/processes/job.h"
#include "train/run.h"
#include "train/trainer.h"

namespace glossa::commands {

namespace {

struct TrainArguments {
  std::string config;
  std::string run;     // empty: runs/NAME for a configuration NAME.yaml
  std::string resume;  // empty: a new run; true: there must be one; auto: resumes if there is one
  bool dump_config = false;
  std::vector<std::string> allowed, sets;
};

/// Adds the names of --allow to train.allow.
void allow(const std::vector<std::string>& names, std::vector<TrainConfig::Mistake>& allowed) {
  for (const std::string& name : names) {
    const auto index = std::ranges::find(mistake_names, name) - mistake_names.begin();
    const auto mistake = static_cast<TrainConfig::Mistake>(index);
    if (std::ranges::find(allowed, mistake) == allowed.end()) allowed.push_back(mistake);
  }
}

/// Checks the value of --resume. Returns the error, or nothing.
std::string wrong_resume(const std::string& value) {
  if (value == "true" || value == "auto") return "";
  return fmt::format("expected --resume or --resume=auto; got {}. Hint: {} names the run",
                     shell_word("--resume=" + value), shell_command({"--run", std::filesystem::path(value)}));
}

int run(const TrainArguments& arguments) {
  if (std::filesystem::exists(config_file(arguments.config)))
    misuse("CONFIG", "expected a YAML file; got the folder of a run, {}. Hint: resume the run with {}",
           arguments.config,
           shell_command({"glossa", "train", config_file(arguments.config), "--run",
                          std::filesystem::path(arguments.config), "--resume"}));
  const std::filesystem::path named_after_config = "runs" / std::filesystem::path(arguments.config).stem();
  const std::string run = arguments.run.empty() ? named_after_config.string() : arguments.run;
  const bool resume = !arguments.resume.empty();
  Config config;
  job().together([&] {
    if (arguments.resume == "true" && !arguments.dump_config) check_holds_run(run);
    config = load_training_config(arguments.config, arguments.sets, run, resume);
    allow(arguments.allowed, config.train.allow);
  });
  if (arguments.dump_config) {
    check(config);
    std::fputs(dump(config).c_str(), stdout);
    return 0;
  }
  Trainer(config, arguments.config, run, resume).train();
  return 0;
}

}  // namespace

void add_train(CommandTable& table) {
  const auto [command, arguments] = table.add<TrainArguments>(
      {.name = "train", .help = "Train a model from a configuration", .group = "Train", .in_a_job = true}, run);
  command.add_option("CONFIG", arguments.config, "YAML file; see docs/options.md")->required();
  command.add_option("--run", arguments.run, "folder of the run (default: runs/NAME for NAME.yaml)");
  command
      .add_flag("--resume", arguments.resume,
                "resume the run from its newest valid checkpoint; --resume=auto: begin one if the folder has none")
      ->check(wrong_resume);
  command
      .add_option("--allow", arguments.allowed,
                  "begin a new run despite what looks like this mistake; repeatable; adds to train.allow")
      ->check(CLI::IsMember(std::vector<std::string>(mistake_names.begin(), mistake_names.end())))
      ->delimiter(',')
      ->allow_extra_args(false);
  command.add_flag("--dump-config", arguments.dump_config, "print the effective configuration and exit");
  add_force(command);
  add_sets(command, arguments.sets);
}

}  // namespace glossa::commands
