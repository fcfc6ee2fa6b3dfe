#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace glossa {

/// Figures of the updates since the last training line. Losses are natural-log cross-entropy per target token; `loss`
/// is unsmoothed.
struct TrainingReport {
  std::int64_t update = 0, epoch = 0;
  double loss = 0;          ///< NaN if all updates were refused
  double tokens_per_s = 0;  ///< source + target tokens without padding
  double lr = 0, grad_norm = 0;
  double seconds = 0;  ///< training time so far, without validation and saving
  double waited = 0;   ///< fraction of the time that steps waited for pairs in a file
};

/// State after an update.
struct UpdateReport {
  TrainingReport training;
  double loss = 0;    ///< loss of this update alone, as in a TrainingReport; not finite if it was refused
  double epochs = 0;  ///< completed epochs, including the fraction of the current one
  double part = 0;    ///< completed fraction of training, up to its first limit
  std::optional<double> seconds_left = {}, seconds_to_validation = {};  ///< estimated times; empty if unknown
};

/// Validation of a further corpus of data.valid. It is only reported and has no effect on training.
struct WatchedReport {
  std::string name;  ///< name in data.valid
  double loss = 0;
  std::optional<double> bleu = {}, chrf = {}, exact_match = {};
};

/// Result of a validation.
struct ValidationReport {
  std::int64_t update = 0, epoch = 0;
  double loss = 0;

  /// Scores, if the corpus was translated; exact_match is from 0 to 1.
  std::optional<double> bleu{}, chrf{}, exact_match{};

  std::int64_t stalled = 0;                 ///< validations since the best one by `metric`; 0: this is the best
  bool at_end = false;                      ///< true: validation of the run's end, which a resumed run drops
  std::vector<std::string> samples = {};    ///< translations to show; the log has only the first
  double seconds = 0;                       ///< training time, as in a TrainingReport
  std::vector<WatchedReport> watched = {};  ///< further corpora, in the order of data.valid
  std::string metric = "loss";              ///< value of train.metric
  std::string doubt = {};                   ///< doubt about the translations; see OutputWatch
};

/// A checkpoint that was saved.
struct CheckpointReport {
  std::int64_t update = 0;
  std::filesystem::path file;
  bool is_best = false;
};

/// A line for people, or several lines that belong together.
struct LogLine {
  enum class Kind {
    detail,   ///< shown only with -v; not in train.log
    note,     ///< a sentence
    figures,  ///< numbers arranged in columns
    warning,  ///< begins with a label up to a colon
    error     ///< the fatal error, which the trainer also throws
  };
  Kind kind = Kind::note;
  std::string text;
  std::string time = {};       ///< local time: 2026-01-31 23:59:59
  std::string highlight = {};  ///< substring of `text` to highlight as good news
};

/// An event of a run.
struct TrainingEvent {
  enum class Kind {
    start,    ///< a new run starts
    resume,   ///< training resumes from a checkpoint
    refused,  ///< an update was skipped because it was not finite
    stop,     ///< a signal, an observer or the host stopped training
    end,      ///< a limit or early stopping ended training
    failure   ///< an error ended training
  };
  Kind kind = Kind::start;
  std::int64_t update = 0;  ///< last update before the event; for `refused`, the skipped one
  std::string text = {};    ///< description, as in train.log
  std::string time = {};    ///< local time, as in a LogLine

  // Set for start and resume:
  std::int64_t parameters = 0;            ///< number of model parameters
  std::vector<std::string> decided = {};  ///< options that were `auto`, one line per section: "auto model: width 128"
  std::vector<std::string> head = {};     ///< first lines of the log: machine, data, model, warnings, notes

  // Set for stop and end:
  std::string reason = {};         ///< signal, request, max_updates, max_epochs, max_minutes or early_stopping
  std::int64_t refused = 0;        ///< total number of refused updates
  double epochs = 0, seconds = 0;  ///< duration of training
  double peak_mib = 0;             ///< peak memory of this process
};

/// Returns a kind's name in metrics.jsonl.
constexpr const char* name(TrainingEvent::Kind kind) {
  constexpr const char* names[] = {"start", "resume", "refused", "stop", "end", "failure"};
  return names[static_cast<int>(kind)];
}

/// Follows a training run. The trainer calls these members in its own thread, between updates. The exceptions are
/// `validating`, called during a validation, and the event `refused`, during its update. To stop training, keep a
/// reference to Trainer::requests and call `stop`. If several processes train, each calls its own observers. An
/// exception from an observer ends training like any other error. If Trainer::train throws in a job of several
/// processes, the program must call Job::end, because other processes may wait forever.
class TrainingObserver {
 public:
  virtual ~TrainingObserver() = default;

  /// Called for each line of the log.
  virtual void log(const LogLine&) {}

  virtual void event(const TrainingEvent&) {}

  /// Called after every update.
  virtual void update(const UpdateReport&) {}

  /// Called after the updates that train.log_every selects.
  virtual void training(const TrainingReport&) {}

  /// Called during a validation that translates, when `done` of `all` sentences are translated.
  virtual void validating(std::int64_t /*done*/, std::int64_t /*all*/) {}

  virtual void validation(const ValidationReport&) {}

  /// Called only in process 0.
  virtual void checkpoint(const CheckpointReport&) {}
};

}  // namespace glossa
