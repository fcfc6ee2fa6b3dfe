#pragma once

#include <cstdint>
#include <filesystem>

#include "base/appender.h"
#include "train/training_observer.h"

namespace glossa {

/// Formats an entry of train.log: the time in brackets, then the text. A later line of the text that begins with a
/// bracket could pass for another entry. The two characters `\n` therefore replace the newline before such a line.
std::string stamped(const LogLine& line);

/// Records in a run's folder: `train.log` for people and `metrics.jsonl` for machines, one JSON object per line. Lines
/// with the key `event` record events (TrainingEvent, validations, checkpoints); the others have the figures of
/// training and validation. A line is in the file when the call that writes it returns. If a line cannot be written,
/// throws a failure that names the file.
class RunLog : public TrainingObserver {
 public:
  /// Opens both files for appending. First drops these lines of the metrics, in one atomic replacement:
  /// - lines of updates after `updates_done`, except starts and ends of training (-1, for a new run: all lines)
  /// - a half-written last line
  /// - if the run `resumes`: validations made because the run ended (ValidationReport::at_end)
  ///
  /// The figures of a resumed run then read like those of an uninterrupted one.
  explicit RunLog(const std::filesystem::path& run, std::int64_t updates_done = 0, bool resumes = true);

  void log(const LogLine& line) override;
  void event(const TrainingEvent& event) override;
  void training(const TrainingReport& report) override;
  void validation(const ValidationReport& report) override;
  void checkpoint(const CheckpointReport& report) override;

 private:
  Appender log_;
  std::int64_t reached_;  // last update in the metrics before lines were dropped
  Appender metrics_;
};

/// Returns the path of a run's metrics.
std::filesystem::path metrics_file(const std::filesystem::path& run);

}  // namespace glossa
