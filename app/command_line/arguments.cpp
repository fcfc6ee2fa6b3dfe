#include "app/command_line/arguments.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "base/available_memory.h"
#include "base/check.h"
#include "evaluation/run_ensemble.h"

namespace glossa::commands {

namespace {

/// Declares --precision, one of `names`, which sets `precision`; `otherwise` is the help's text about the default.
template <class Value>
void declare_precision(CLI::App& command, std::initializer_list<const char*> names, const char* help,
                       const char* otherwise, Value& precision) {
  command
      .add_option_function<std::string>(
          "--precision",
          [&precision](const std::string& name) {
            precision = static_cast<Precision>(std::ranges::find(precision_names, name) - precision_names.begin());
          },
          fmt::format("of matrix products; {} (default: {})", help, otherwise))
      ->check(CLI::IsMember(std::vector<std::string>(names.begin(), names.end())));
}

constexpr const char* checkpoint_choices =
    "best, last, an update, or average:N of the newest N (default: best, or what decode.average says)";

constexpr const char* decoding_help =
    "in bf16, factors are rounded to bfloat16; in int8, to integers with a scale per row";

}  // namespace

void add_checkpoint(CLI::App& command, std::string& run, std::string& checkpoint, const char* choices) {
  command.add_option("RUN", run, "folder of a run, or one of its checkpoints")->required();
  command.add_option("--checkpoint", checkpoint, choices);
}

void add_run(CLI::App& command, std::string& run, std::string& checkpoint) {
  add_checkpoint(command, run, checkpoint, checkpoint_choices);
  add_force(command);
}

void add_runs(CLI::App& command, EnsembleArguments& arguments) {
  command
      .add_option("RUN", arguments.runs, "folder of a run, or one of its checkpoints; several translate as an ensemble")
      ->required();
  command.add_option("--checkpoint", arguments.checkpoint, checkpoint_choices);
  add_force(command);
}

std::vector<RunName> EnsembleArguments::names() const {
  std::error_code unreadable;  // ignored: opening the run reports the error
  for (const std::string& set : sets) {
    if (!set.starts_with("decode.average=") || set == "decode.average=0") continue;
    if (!checkpoint.empty())
      misuse("--checkpoint", "expected nothing with decode.average, which chooses the checkpoints; got {}", checkpoint);
    for (const std::string& run : runs)
      if (std::filesystem::is_regular_file(run, unreadable))
        misuse("RUN", "expected a run's folder with decode.average, which chooses the checkpoints; got {}", run);
  }
  return run_names(runs, checkpoint);
}

Config EnsembleArguments::config() const {
  return load_run_config(RunName(runs.front(), checkpoint).folder(), sets, beam, precision);
}

void add_sets(CLI::App& command, std::vector<std::string>& sets, const std::string& where) {
  command
      .add_option("--set", sets,
                  "section.key=value: overrides the configuration; repeatable, the last wins" +
                      (where.empty() ? "" : "; " + where))
      ->allow_extra_args(false);
}

void add_force(CLI::App& command) {
  command.add_flag_callback("--force", ignore_memory_limits, "start even if too little memory is free");
}

void add_on_bad_line(CLI::App& command, std::string& policy, const char* becomes) {
  command
      .add_option("--on-bad-line", policy,
                  fmt::format("an unusable line {}, with a warning (warn), or stops the command (stop)", becomes))
      ->check(CLI::IsMember({"warn", "stop"}))
      ->capture_default_str();
}

CLI::Option* add_beam(CLI::App& command, std::int64_t& beam) {
  return command.add_option("--beam", beam, "hypotheses kept in the search")->check(CLI::Range(1, 1024));
}

void add_split_sentences(CLI::App& command, std::string& choice) {
  command
      .add_option("--split-sentences", choice,
                  "translate the sentences of a line one by one; auto: unless the training text has several per line")
      ->check(CLI::IsMember({"auto", "on", "off"}))
      ->capture_default_str();
}

void add_threads(CLI::App& command, std::int64_t& threads) {
  command.add_option("--threads", threads, "number of threads (default: all available)")->check(CLI::Range(1, 4096));
}

void add_precision(CLI::App& command, std::optional<Precision>& precision) {
  declare_precision(command, precision_names, decoding_help, "decode.precision of the run", precision);
}

void add_decoding_precision(CLI::App& command, Precision& precision) {
  declare_precision(command, precision_names, decoding_help, name_of(precision), precision);
}

void add_training_precision(CLI::App& command, Precision& precision) {
  declare_precision(command, training_precision_names,
                    "in bf16, factors are rounded to bfloat16, and sums are in float", name_of(precision), precision);
}

}  // namespace glossa::commands
