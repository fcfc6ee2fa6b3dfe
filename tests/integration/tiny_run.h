#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "tests/integration/program.h"
#include "tests/support/temporary_folder.h"

namespace glossa::testing {

using Strings = std::vector<std::string>;

/// A corpus of the toy language (toy:2000 written to files once, because building the language takes a second), a
/// configuration of a tiny model with dropout, and commands that use them. Everything is in its own folder.
class TinyRun {
 public:
  TinyRun();

  const std::filesystem::path& path() const { return folder_.path(); }
  std::filesystem::path operator/(const std::string& name) const { return folder_ / name; }

  /// `glossa train` with the tiny configuration into the folder `run`; `more` are further arguments, `sets` values for
  /// --set.
  Strings train_arguments(const std::string& run, const Strings& sets = {}, const Strings& more = {}) const;
  Outcome train(const std::string& run, const Strings& sets = {}, const Strings& more = {}) const;
  Outcome resume(const std::string& run, const Strings& sets = {}) const { return train(run, sets, {"--resume"}); }

  /// Writes the two files of a corpus and returns its prefix.
  std::string write_corpus(const std::string& english, const std::string& hindi) const;

  /// The lines of RUN/metrics.jsonl without time-dependent values.
  Strings metrics(const std::string& run) const;

  /// sha256 and state_sha256 of the run's last checkpoint, and its update.
  std::string hashes(const std::string& run) const;
  long last_update(const std::string& run) const;

 private:
  TemporaryFolder folder_;
};

/// Waits until the run has `lines` lines in metrics.jsonl; false if the program ended before.
bool wait_for_metrics(Program& program, const std::filesystem::path& run, std::size_t lines);

/// A text's single JSON object: its keys, and each value again as JSON. Throws if the text is anything else.
std::map<std::string, std::string> json_object(const std::string& text);

Strings lines_of(const std::string& text);

/// The outcome of a program, which must have succeeded.
Outcome succeeded(Outcome outcome);

/// Checks an error: the exit status; on standard error, after any log, one line `glossa: [where] ...` that says what to
/// do and contains each of `parts`.
void check_error(const Outcome& outcome, int status, const Strings& parts);

/// check_error for errors found before any work: the message is the only output.
void check_refused(const Outcome& outcome, int status, const Strings& parts);

}  // namespace glossa::testing
