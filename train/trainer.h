#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "autograd/check.h"
#include "train/checkpoint/checkpoint_folder.h"
#include "train/checkpoint/training_state.h"
#include "train/config/config.h"
#include "train/processes/job.h"
#include "train/requests.h"
#include "train/run_log.h"
#include "train/tensorboard_log.h"
#include "train/training_observer.h"
#include "train/translation_task.h"
#include "train/updater.h"

namespace glossa {

/// Order to train a run.
struct TrainingOrder {
  Config config;
  std::string run;               ///< the run's folder
  bool resume = false;           ///< from the newest valid checkpoint, if one exists
  std::string config_path = {};  ///< file that `config` was read from, if any; it must not be in the way of the run's
};

/// The contents of the run's folder, which process 0 writes.
struct RunRecords {
  std::unique_ptr<CheckpointFolder> checkpoints;
  RunLog log;
  std::optional<TensorboardLog> tensorboard = {};  ///< with train.tensorboard
};

/// Reason for the end of training.
enum class TrainingEnd { max_updates, max_epochs, max_minutes, early_stopping, stopped };

/// A run that is ready to train. Its parts come to life in this order; each is made of those before it.
struct PreparedRun {
  const Job& job;  ///< the processes that train together
  std::string folder;
  Config config;                               ///< every option; the corpora decide those given as `auto`
  std::unique_ptr<TranslationTask> task = {};  ///< corpora, vocabulary, batches and model
  Schedule schedule{ScheduleOptions()};        ///< of the learning rate
  std::unique_ptr<Updater> updater = {};       ///< optimizer, moving average of the weights, and the memory of a step
  bool resumes = false;                        ///< true: continues from a checkpoint
  TrainingState state = {};                    ///< where training stands: at the beginning, or as in the checkpoint
  std::unique_ptr<RunRecords> records = {};    ///< null in processes other than the first
  std::int64_t last_validation = 0;            ///< update of the newest validation in the records; 0 if none
  std::vector<std::string> decided = {};       ///< the options that were `auto`, as in TrainingEvent
  std::vector<LogLine> head = {};              ///< the first lines of the log

  std::int64_t updates_per_epoch() const;
  Progress progress() const;

  /// Describes the place to resume at: "resumed at update 25 (epoch 2, batch 5)".
  std::string resumption() const;

  /// The limit that training has reached, if any.
  std::optional<TrainingEnd> ending() const;
};

/// Prepares a run. Throws Error on any user mistake; the folder then contains no half-written file.
PreparedRun prepare(const TrainingOrder& order, const Job& job = Job::alone());

/// Trains a prepared run. Validation, saving and the calls of observers happen between updates.
class Trainer {
 public:
  explicit Trainer(PreparedRun run);

  /// Calls `observer` as well, after the run's own records. It must outlive training.
  void add(TrainingObserver& observer) { observers_.push_back(&observer); }

  /// Requests to stop or to save, from an observer, another thread or a signal handler.
  Requests& requests() { return requests_; }

  /// Trains until a configured limit, early stopping or a request, then saves; returns the reason. A fatal error is
  /// also recorded in the run, unless it occurred in another process of the job. Call it once.
  TrainingEnd train();

  /// Seconds of training so far, without validation and saving.
  double seconds() const { return state_.seconds; }

  /// Work done by this process: updates, source and target tokens without padding, and computed rows.
  struct Work {
    std::int64_t updates = 0, tokens = 0, rows = 0;
  };
  const Work& work() const { return work_; }

 private:
  void begin();
  void record_failure(const Error& error) noexcept;
  TrainingEnd update_until_end();
  void one_update();
  void apply(const Update& update);
  void refuse(const Update& update);
  bool stop_requested();
  void conclude(TrainingEnd end, bool has_trained, bool best_at_end);

  bool validate();
  bool validate_start();
  bool validate_end();
  ValidationReport measure();
  void validated(const ValidationReport& report);
  std::string better_at_end() const;
  void save(bool is_best);

  TrainingReport report() const;
  void log_update(const TrainingReport& report);
  void warn_about_time(std::int64_t updates, double seconds);
  void log(std::string text, LogLine::Kind kind = LogLine::Kind::note);
  void log(LogLine line);
  void note(TrainingEvent event);

  PreparedRun run_;
  TrainingState& state_ = run_.state;
  std::vector<TrainingObserver*> observers_;
  Requests requests_;

  Work work_;
  struct {
    std::int64_t tokens = 0;
    double seconds = 0;
  } since_log_;
  double lr_ = 0, grad_norm_ = 0;
  bool save_due_ = false;
  std::string doubt_;  // of the last validation
};

}  // namespace glossa
