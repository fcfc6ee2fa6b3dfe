#pragma once

#include <cstdint>
#include <cstdio>
#include <optional>

#include "base/console/progress_bar.h"
#include "train/training_observer.h"

namespace glossa {

/// Shows training in a terminal or a file: the lines of the log that the verbosity allows, each with its time. On a
/// terminal, it highlights in color, breaks long lines between words, and draws a progress bar below the lines.
/// Failures are ignored, because a lost terminal must not end the run. Errors are left to the program, which prints
/// them on exit.
class TrainingConsole : public TrainingObserver {
 public:
  explicit TrainingConsole(std::FILE* terminal = stderr) : terminal_(terminal), bar_(terminal) {}

  void log(const LogLine& line) override;
  void update(const UpdateReport& report) override;
  void validating(std::int64_t done, std::int64_t all) override;
  void validation(const ValidationReport&) override { sentences_.reset(); }

 private:
  std::FILE* terminal_;
  ProgressBar bar_;
  std::optional<CountProgress> sentences_;  // progress of the current validation
  std::int64_t done_ = 0;                   // sentences that this validation has translated
};

}  // namespace glossa
