#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "autograd/precision.h"
#include "train/run.h"

/// Arguments that several commands share. Each function declares arguments on a command. Parsing then fills the
/// variables that were passed by reference.
namespace glossa::commands {

/// Declares RUN and --checkpoint; `choices` lists the values of --checkpoint.
void add_checkpoint(CLI::App& command, std::string& run, std::string& checkpoint, const char* choices);

/// Declares RUN, --checkpoint and --force, for a command that loads a run's model.
void add_run(CLI::App& command, std::string& run, std::string& checkpoint);

/// Arguments of a command that decodes with one run, or with several as an ensemble.
struct EnsembleArguments {
  std::vector<std::string> runs;
  std::string checkpoint;
  std::int64_t beam = 0;               // hypotheses per sentence; 0: the first run's setting
  std::optional<Precision> precision;  // empty: the first run's setting
  std::vector<std::string> sets;

  /// Returns the runs. Throws a misuse error if `sets` has decode.average although --checkpoint or a RUN names a
  /// checkpoint.
  std::vector<RunName> names() const;

  /// Returns the first run's configuration, changed by `sets`, `beam` and `precision`.
  Config config() const;
};

/// Declares RUN, --checkpoint and --force.
void add_runs(CLI::App& command, EnsembleArguments& arguments);

/// Declares --set; the option's help ends with the text `where`.
void add_sets(CLI::App& command, std::vector<std::string>& sets, const std::string& where = "");

/// Declares --force, for a command that needs much memory.
void add_force(CLI::App& command);

/// Declares --on-bad-line. In the help, `becomes` says what happens to an unusable line.
void add_on_bad_line(CLI::App& command, std::string& policy, const char* becomes = "stays empty in the output");

/// Declares --split-sentences: `auto`, `on` or `off`. The default is the value of `choice`.
void add_split_sentences(CLI::App& command, std::string& choice);

/// Declares --beam. Returns the option.
CLI::Option* add_beam(CLI::App& command, std::int64_t& beam);

/// Declares an option for a number from `least` to `most`. The default is the value of `number`.
template <class Number>
void add_number(CLI::App& command, const std::string& name, Number& number, std::type_identity_t<Number> least,
                std::type_identity_t<Number> most, const std::string& help) {
  command.add_option(name, number, help)->check(CLI::Range(least, most))->capture_default_str();
}

/// Declares --threads; 0 means all available threads.
void add_threads(CLI::App& command, std::int64_t& threads);

/// Declares --precision for a command that otherwise uses decode.precision.
void add_precision(CLI::App& command, std::optional<Precision>& precision);

/// Declares --precision for a command that decodes without a run. If the option is not given, `precision` is unchanged.
void add_decoding_precision(CLI::App& command, Precision& precision);

/// Declares --precision for a command that computes training steps, which cannot be in int8.
void add_training_precision(CLI::App& command, Precision& precision);

}  // namespace glossa::commands
