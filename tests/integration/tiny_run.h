#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "tests/integration/program.h"
#include "tests/support/temporary_folder.h"

namespace glossa::testing {

using Strings = std::vector<std::string>;

/// A corpus of the toy language, a configuration of a tiny model with dropout, and commands that use both, in a folder
/// of its own. The corpus is toy:2000, written to files once, because building the language takes a second.
class TinyRun {
 public:
  TinyRun();

  const std::filesystem::path& path() const { return folder_.path(); }
  std::filesystem::path operator/(const std::string& name) const { return folder_ / name; }

  /// Arguments of `glossa train` with the tiny configuration and the folder `run`. `sets` are values for --set, `more`
  /// further arguments.
  Strings train_arguments(const std::string& run, const Strings& sets = {}, const Strings& more = {}) const;
  Outcome train(const std::string& run, const Strings& sets = {}, const Strings& more = {}) const;
  Outcome resume(const std::string& run, const Strings& sets = {}) const { return train(run, sets, {"--resume"}); }

  /// Writes the two files of a corpus and returns its prefix.
  std::string write_corpus(const std::string& english, const std::string& hindi) const;

  /// The figures of RUN/metrics.jsonl, line by line, without time-dependent values.
  Strings metrics(const std::string& run) const;

  /// The update, sha256 and state_sha256 of the run's last checkpoint.
  std::string hashes(const std::string& run) const;
  long last_update(const std::string& run) const;

 private:
  TemporaryFolder folder_;
};

/// Waits until the run has `lines` lines of figures in metrics.jsonl; returns false if the program ends before that.
bool wait_for_metrics(Program& program, const std::filesystem::path& run, std::size_t lines);

/// Parses a text that is a single JSON object: its keys, each with its value as JSON. Throws for any other text.
std::map<std::string, std::string> json_object(const std::string& text);

Strings lines_of(const std::string& text);

/// Checks that a program succeeded, and returns its outcome.
Outcome succeeded(Outcome outcome);

/// Checks a program's exit status and error message. Standard error must end, after any log, with one line `glossa:
/// [where] ...` that has a hint and contains each of `parts`.
void check_error(const Outcome& outcome, int status, const Strings& parts);

/// As check_error, for errors found before any work: the message must be the only output.
void check_refused(const Outcome& outcome, int status, const Strings& parts);

}  // namespace glossa::testing
