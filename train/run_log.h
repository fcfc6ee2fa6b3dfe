#pragma once

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "train/console/appender.h"
#include "train/console/colour.h"
#include "train/console/progress_bar.h"
#include "train/console/verbosity.h"
#include "train/decoding/attention_maps.h"
#include "train/tensorboard/event_file.h"

namespace glossa {

/// What one training line says. Losses are natural-log cross-entropy per target token; `loss` is unsmoothed.
struct TrainingReport {
  std::int64_t update = 0, epoch = 0;
  double loss = 0;
  double tokens_per_s = 0;  ///< source + target tokens without padding
  double lr = 0, grad_norm = 0;
  double seconds = 0;  ///< of training so far, validation and saving left out
};

/// What a validation says of a corpus that is watched beside the one that decides.
struct WatchedReport {
  std::string name;  ///< as data.valid has it
  double loss = 0;
  std::optional<double> bleu = {}, chrf = {}, exact_match = {};
};

/// What one validation line says.
struct ValidationReport {
  std::int64_t update = 0, epoch = 0;
  double loss = 0;

  /// Set if the corpus was translated; exact_match is a fraction of 1.
  std::optional<double> bleu{}, chrf{}, exact_match{};

  std::int64_t stalled = 0;  ///< validations since the best one; 0: this is the best
  bool at_end = false;       ///< a limit came between two validations: told, but no part of the run's state
  std::vector<std::string> samples = {};      ///< translations to look at; the first stands below the line, for people
  std::vector<AttentionMaps> attention = {};  ///< of sentences to look at, for TensorBoard
  double seconds = 0;                         ///< as of a training line
  std::vector<WatchedReport> watched = {};    ///< of further corpora, in the order of data.valid
};

/// The records of a run directory: `train.log` for people (also on the terminal), `metrics.jsonl` for machines, one
/// JSON object a line. Every line is in the file when the call returns. On a terminal a progress bar stands below the
/// lines, and long ones are broken between words. Throws a failure that names the file where a line cannot be written.
class RunLog {
 public:
  /// Opens both files for appending. Metrics beyond `updates_done` (0 for a new run) and a half-written last line are
  /// cut off first, and the validation at an end that is none any more if the run `goes_on`, in one atomic replacement:
  /// the file of a resumed run reads like that of an undisturbed one. What TensorBoard was told is cut so, too.
  explicit RunLog(const std::filesystem::path& run, std::int64_t updates_done = 0, std::FILE* terminal = stderr,
                  bool goes_on = true);

  /// Of a process that leaves the records, and the terminal, to another.
  explicit RunLog(std::int64_t last_validation);

  RunLog(const RunLog&) = delete;
  RunLog& operator=(const RunLog&) = delete;

  /// A line for people, with the time before it. Several lines in one text get one time.
  void line(std::string_view text);

  /// The same, which -q does not keep from the terminal, where what stands before its first colon has a colour.
  void warning(std::string_view text);

  /// The same in train.log alone, but for -v.
  void record(std::string_view text);

  /// The error that ends the run, in train.log alone: the program prints it when it ends. Where it cannot be written,
  /// nothing more is said.
  void error(std::string_view text) noexcept;

  /// From here on TensorBoard is told, too: of the configuration, and of what training and validation say.
  void begin_events(const std::filesystem::path& run, std::int64_t updates_done, bool goes_on,
                    std::string_view configuration);

  void training(const TrainingReport& report);
  void validation(const ValidationReport& report);

  /// The update of the newest validation that the metrics tell of; 0 if there is none.
  std::int64_t last_validation() const { return last_validation_; }

  /// The bar below the lines.
  ProgressBar& bar() { return bar_; }

 private:
  /// Part of a line, and the colour that it has on a terminal.
  struct Marked {
    std::string_view part;
    Colour colour;
  };

  /// A terminal that went away must not end the run: what cannot be written there is lost. There no line is longer
  /// than `columns`, nor than the terminal is wide, and nothing is told that `least` is too little for.
  void tell(std::string_view text, std::size_t columns, Verbosity least = Verbosity::usual,
            const std::optional<Marked>& marked = {});

  void write_events(const ValidationReport& report, std::span<const Scalar> scalars);

  std::FILE* terminal_;
  ProgressBar bar_;
  Appender log_, metrics_;
  std::optional<EventFile> events_;
  std::int64_t last_validation_;
};

/// The same of a run that is not open.
std::int64_t last_validation(const std::filesystem::path& run);

}  // namespace glossa
