#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/check.h"
#include "base/own_process.h"
#include "config/config.h"
#include "train/checkpoint/checkpoint_folder.h"
#include "train/checkpoint/training_state.h"
#include "train/processes/job.h"
#include "train/requests.h"
#include "train/run_log.h"
#include "train/tensorboard_log.h"
#include "train/training_observer.h"
#include "train/translation_task.h"
#include "train/updater.h"

namespace glossa {

/// An order to train a run.
struct TrainingOrder {
  Config config;
  std::string run;      ///< the run's folder
  bool resume = false;  ///< true: resumes from the newest valid checkpoint, if any; false: checkpoints are an error

  /// Path of the file that `config` was read from; empty if none. A new run is refused if its config.yaml would replace
  /// this file.
  std::string config_path = {};

  /// Options in `config` that come from the command line or the program. When a run resumes, the decode options among
  /// them are also written to its config.yaml, for translation.
  Settings settings = {};
};

/// Files that process 0 keeps open in the run's folder. Configuration, vocabulary and samples are also written there.
struct RunRecords {
  std::unique_ptr<CheckpointFolder> checkpoints;  ///< holds the run's lock
  RunLog log;
  std::optional<TensorboardLog> tensorboard = {};  ///< only with train.tensorboard
};

/// Reason why training ended.
enum class TrainingEnd { max_updates, max_epochs, max_minutes, early_stopping, stopped };

/// A run that is ready to train. Members are made in this order, each from earlier ones. The exceptions are the lock
/// and the checkpoint to resume from, which come first because they decide options.
struct PreparedRun {
  const Job& job;  ///< processes that train together; the job must outlive the run
  std::string folder;
  Config config;                               ///< all options; checkpoint or corpora decide those that were `auto`
  std::unique_ptr<TranslationTask> task = {};  ///< corpora, vocabulary, batches and model
  bool resumes = false;                        ///< true: continues from a checkpoint
  TrainingState state = {};                    ///< progress of training: the beginning, or the checkpoint's
  Schedule schedule{ScheduleOptions()};        ///< learning rate
  std::unique_ptr<Updater> updater = {};       ///< optimizer, moving average of the weights, and the memory of a step
  std::unique_ptr<RunRecords> records = {};    ///< null except in process 0
  std::int64_t last_validation = 0;            ///< update of the newest validation in the records; 0 if none
  std::vector<std::string> decided = {};       ///< the options that were `auto`, as in TrainingEvent
  std::vector<LogLine> head = {};              ///< the first lines that `train` logs

  std::int64_t updates_per_epoch() const;
  Progress progress() const;

  /// True if there is validation data, and train.validate_every is not `never`.
  bool validates() const;

  /// Describes where training resumes: "resumed at update 25 (epoch 2, batch 5)".
  std::string resumption() const;

  /// Returns the limit that training has reached, if any.
  std::optional<TrainingEnd> ending() const;
};

/// Prepares a run: locks its folder, reads the text, decides the options that are `auto`, and makes the members of
/// PreparedRun. Loads a checkpoint or the weights of train.warm_start. Writes the configuration and a new run's
/// vocabulary. When resuming, drops records that are newer than the checkpoint. Sets the threads and the library of
/// matrix products for the whole process. Throws Error on any user mistake; the folder then contains no half-written
/// file. Every process of the job calls it, in one thread.
PreparedRun prepare(const TrainingOrder& order, const Job& job = Job::alone());

/// Trains a prepared run.
class Trainer {
 public:
  explicit Trainer(PreparedRun run);
  Trainer(const Trainer&) = delete;
  ~Trainer() {
    if (!process_.is_this()) static_cast<void>(run_.task.release());  // in a fork, ~TranslationTask waits forever
  }

  /// Also calls `observer` during training, after the run's own records and in the same thread. `observer` must outlive
  /// training.
  void add(TrainingObserver& observer) { observers_.push_back(&observer); }

  /// Returns the requests to stop or save, which the whole job grants after the current update. Observers, other
  /// threads and signal handlers may make requests.
  Requests& requests() { return requests_; }

  /// Trains until a limit, early stopping or a stop request, and returns the reason. If a stop request coincides with
  /// another reason, returns the other reason. Saves at the period of train.save_every, after the best validations and
  /// after the last update. Then, unless stopped, validates the last weights if necessary, and the mean of the
  /// checkpoints that decode.average selects. If training has already ended, or a stop was requested earlier, makes no
  /// update.
  ///
  /// After an exception, no checkpoint is saved. The process where it occurred passes it to the observers as a line and
  /// an event, then throws it again. This includes exceptions of observers, and the error after train.max_bad_updates
  /// skipped updates in a row. In a process that an observer forks, `train` throws when the observer returns, and
  /// writes nothing. Call `train` once.
  TrainingEnd train();

  /// Returns the seconds of training so far, including those before a resume but not validation and saving.
  double seconds() const { return state_.seconds; }

  /// Work of the whole job since `train` began: updates, source and target tokens without padding, and computed rows.
  /// Refused updates are excluded, although limits count them.
  struct Work {
    std::int64_t updates = 0, tokens = 0, rows = 0;
  };
  const Work& work() const { return work_; }

 private:
  /// Calls each observer. A process that an observer forks must not continue to train in the run's files.
  template <class Call>
  void notify(const Call& call) {
    for (TrainingObserver* observer : observers_) {
      call(*observer);
      check(process_.is_this(), "train",
            "expected the process that began to train; got one that an observer forked, which cannot continue. Hint: "
            "end it before the observer returns");
    }
  }

  void begin();
  void record_failure(const Error& error) noexcept;
  TrainingEnd update_until_end();
  double one_update();
  void apply(const Update& update);
  void refuse(const Update& update);
  bool take_requests();
  void conclude(TrainingEnd end, bool has_trained, bool best_at_end);

  bool validate();
  void validate_start();
  bool validate_end();
  void validate_mean();
  ValidationReport validation(bool translates);
  ValidationReport measure();
  void validated(const ValidationReport& report);
  std::string better_at_end() const;
  void save(bool is_best);

  TrainingReport report() const;
  void log_update(const TrainingReport& report);
  void warn_about_time(std::int64_t updates, double seconds);
  void log(std::string text, LogLine::Kind kind = LogLine::Kind::note);
  void log(LogLine line);
  void announce(TrainingEvent event);

  OwnProcess process_;
  PreparedRun run_;
  TrainingState& state_ = run_.state;
  std::vector<TrainingObserver*> observers_;
  Requests requests_;

  Work work_;
  struct {
    std::int64_t tokens = 0;
    double seconds = 0, waited = 0;
  } since_log_;
  double lr_ = 0, grad_norm_ = 0;
  bool save_due_ = false;
  std::string doubt_;  // doubt about the translations of the last validation
};

}  // namespace glossa
