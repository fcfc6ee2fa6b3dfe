#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "app/command_line/arguments.h"
#include "app/command_line/command_table.h"
#include "app/commands/commands.h"
#include "base/check.h"
#include "data/text/shell_word.h"
#include "train/run.h"
#include "train/signals.h"
#include "train/trainer.h"
#include "train/training_console.h"

namespace glossa::commands {

namespace {

struct TrainArguments {
  std::string config;  // configuration file; on resume, possibly a run's folder
  std::string run;     // folder of the run; empty: runs/NAME for a configuration NAME.yaml
  std::string resume;  // empty: a new run; true: resume an existing run; auto: resume if a run exists
  bool dump_config = false;
  std::vector<std::string> allowed, sets;
};

/// Adds the mistakes that --allow names to train.allow.
void allow(const std::vector<std::string>& names, std::vector<TrainConfig::Mistake>& allowed) {
  for (const std::string& name : names) {
    const auto index = std::ranges::find(mistake_names, name) - mistake_names.begin();
    const auto mistake = static_cast<TrainConfig::Mistake>(index);
    if (std::ranges::find(allowed, mistake) == allowed.end()) allowed.push_back(mistake);
  }
}

/// Checks the value of --resume. Returns empty text to CLI11; throws an error with a hint for a wrong value.
std::string wrong_resume(const std::string& value) {
  if (value == "true" || value == "auto") return "";
  Error::Parts parts = Error::Parts::of(
      "command line", "expected --resume or --resume=auto; got {}. Hint: {} resumes a run",
      shell_word("--resume=" + value), shell_command({"glossa", "train", "--resume", std::filesystem::path(value)}));
  parts.key = "--resume";
  throw Error(Error::Kind::misuse, std::move(parts));
}

/// A configuration file and the run that it trains.
struct Choice {
  std::string config;  // empty: the run's own options
  std::string run;
};

/// Interprets CONFIG and --run. CONFIG is a run's folder in `glossa train --resume RUN`.
Choice choice_of(const TrainArguments& arguments) {
  namespace fs = std::filesystem;
  const fs::path config = arguments.config, run = arguments.run;
  std::error_code missing;
  if (arguments.config.empty()) {
    if (arguments.run.empty() || arguments.resume.empty())
      misuse("command line",
             "CONFIG is required. Hint: glossa train CONFIG.yaml begins a run, glossa train --resume RUN resumes one; "
             "recipes/toy.yaml is an example");
    check_holds_run(arguments.run);
    return {"", arguments.run};
  }
  const bool may_be_run = !arguments.resume.empty() && config.extension() != ".yaml";
  if (!fs::is_directory(config, missing) && (!may_be_run || fs::exists(config, missing)))
    return {arguments.config, arguments.run.empty() ? ("runs" / config.stem()).string() : arguments.run};
  if (arguments.resume.empty())
    misuse(arguments.config,
           "expected a YAML file as CONFIG; got a folder. Hint: if it is that of a run, {} resumes it",
           shell_command({"glossa", "train", "--resume", config}));
  if (!arguments.run.empty() && !fs::equivalent(config, run, missing))
    misuse("--run", "expected the run to resume, {}, or nothing; got {}. Hint: omit --run", arguments.config,
           arguments.run);
  check_holds_run(arguments.config);  // also for --resume=auto, which cannot begin a run without a configuration
  return {"", arguments.config};
}

int run(const TrainArguments& arguments, const Job& job) {
  const bool resume = !arguments.resume.empty();
  Choice choice;
  job.together([&] {
    if (resume && !job.is_first()) return;  // only process 0 can see the run's folder
    choice = choice_of(arguments);
    if (arguments.resume == "true" && !arguments.dump_config) check_holds_run(choice.run);
  });
  if (resume) choice = {job.broadcast(choice.config), job.broadcast(choice.run)};
  Config config = load_training_config(choice.config, arguments.sets, choice.run, resume, job);
  job.together([&] { allow(arguments.allowed, config.train.allow); });
  if (arguments.dump_config) {
    validate(config);
    if (job.is_first()) std::fputs(dump(config).c_str(), stdout);
    return 0;
  }
  Trainer trainer(prepare(
      {.config = config, .run = choice.run, .resume = resume, .config_path = choice.config, .settings = arguments.sets},
      job));
  TrainingConsole console;
  if (job.is_first()) trainer.add(console);
  const SignalWatch signals(trainer.requests());
  trainer.train();
  return 0;
}

}  // namespace

void add_train(CommandTable& table) {
  const auto [command, arguments] =
      table.add<TrainArguments>({.name = "train", .help = "Train a model from a configuration", .group = "Train"}, run);
  command.add_option("CONFIG", arguments.config,
                     "YAML file (docs/options.md), or with --resume a run's folder; --resume --run RUN needs none");
  command.add_option("--run", arguments.run, "folder of the run (default: runs/NAME for NAME.yaml)");
  command
      .add_flag("--resume", arguments.resume,
                "resume the run from its newest valid checkpoint, with the run's options unless CONFIG or --set gives "
                "others; --resume=auto: begin one if the folder has none")
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
