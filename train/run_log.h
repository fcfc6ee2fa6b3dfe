#pragma once

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "train/console/appender.h"
#include "train/console/color.h"
#include "train/console/progress_bar.h"
#include "train/console/verbosity.h"
#include "train/decoding/attention_maps.h"
#include "train/tensorboard/event_file.h"

namespace glossa {

/// Contents of a training line. Losses are natural-log cross-entropy per target token; `loss` is unsmoothed.
struct TrainingReport {
  std::int64_t update = 0, epoch = 0;
  double loss = 0;
  double tokens_per_s = 0;  ///< source + target tokens without padding
  double lr = 0, grad_norm = 0;
  double seconds = 0;  ///< of training so far, without validation and saving
};

/// Validation of a further corpus of data.valid. It is only reported and has no effect on training.
struct WatchedReport {
  std::string name;  ///< as in data.valid
  double loss = 0;
  std::optional<double> bleu = {}, chrf = {}, exact_match = {};
};

/// Contents of a validation line.
struct ValidationReport {
  std::int64_t update = 0, epoch = 0;
  double loss = 0;

  /// Set if the corpus was translated; exact_match is from 0 to 1.
  std::optional<double> bleu{}, chrf{}, exact_match{};

  std::int64_t stalled = 0;               ///< validations since the best one by `metric`; 0: this is the best
  bool at_end = false;                    ///< true: made because the run ended between validations; dropped on resume
  std::vector<std::string> samples = {};  ///< translations to show; the log has only the first
  std::vector<AttentionMaps> attention = {};  ///< of sentences to show in TensorBoard
  double seconds = 0;                         ///< as in a training line
  std::vector<WatchedReport> watched = {};    ///< of further corpora, in the order of data.valid
  std::string metric = "loss";                ///< train.metric
  std::string doubt = {};                     ///< about the translations; see OutputWatch
};

/// Records of a run directory: `train.log` for people (also on the terminal), `metrics.jsonl` for machines, one JSON
/// object per line. A line is in the file when the call that writes it returns. On a terminal, a progress bar stands
/// below the lines, and long lines are broken between words. Throws a failure that names the file if a line cannot be
/// written.
class RunLog {
 public:
  /// Opens both files for appending. First drops these lines of the metrics, in one atomic replacement:
  /// - lines of updates after `updates_done` (-1: all lines, for a new run)
  /// - a half-written last line
  /// - if the run `resumes`: validations made because the run ended (ValidationReport::at_end)
  ///
  /// So the metrics of a resumed run read like those of an uninterrupted one. Also cuts TensorBoard's files
  /// (EventFile::cut).
  explicit RunLog(const std::filesystem::path& run, std::int64_t updates_done = 0, std::FILE* terminal = stderr,
                  bool resumes = true);

  /// Makes a log that writes no files, for a process that leaves the records to process 0.
  explicit RunLog(std::int64_t last_validation);

  RunLog(const RunLog&) = delete;
  RunLog& operator=(const RunLog&) = delete;

  /// Writes a line for people, preceded by the time. Several lines of one text share the time.
  void line(std::string_view text);

  /// As `line`, but shown even with -q and colored up to its first colon.
  void warning(std::string_view text);

  /// Shows a line on the terminal with -v, but does not write it to train.log.
  void detail(std::string_view text);

  /// Writes the run's fatal error to train.log only: the program prints it on exit. A failure to write is ignored.
  void error(std::string_view text) noexcept;

  /// Starts TensorBoard events: the configuration, and all training and validation reports.
  void begin_events(const std::filesystem::path& run, std::int64_t updates_done, bool resumes,
                    std::string_view configuration);

  void training(const TrainingReport& report);
  void validation(const ValidationReport& report);

  /// Update of the newest validation in the metrics; 0 if none.
  std::int64_t last_validation() const { return last_validation_; }

  /// Bar below the lines.
  ProgressBar& bar() { return bar_; }

 private:
  /// Part of a line with its color on a terminal.
  struct Marked {
    std::string_view part;
    Color color;
  };

  /// Writes a stamped line to the terminal. Ignores failures, because a lost terminal must not end the run. On a
  /// terminal, breaks lines at `columns`, or at the terminal's width if that is smaller. Writes nothing if the
  /// verbosity is below `level`.
  void show(const std::string& line, std::size_t columns, Verbosity level, const std::optional<Marked>& marked = {});

  /// Shows a text and writes it to train.log.
  void print_note(std::string_view text, std::size_t columns, Verbosity level = Verbosity::usual,
                  const std::optional<Marked>& marked = {});

  void write_events(const ValidationReport& report, std::span<const Scalar> scalars);

  std::FILE* terminal_;
  ProgressBar bar_;
  Appender log_, metrics_;
  std::optional<EventFile> events_;
  std::int64_t last_validation_;
};

/// Path of a run's metrics.
std::filesystem::path metrics_file(const std::filesystem::path& run);

/// Reads the update of the newest validation in the metrics of a run that no RunLog has open; 0 if none.
std::int64_t last_validation(const std::filesystem::path& run);

}  // namespace glossa
