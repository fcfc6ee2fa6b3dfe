#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/check.h"
#include "base/own_process.h"
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
  std::string run;      ///< the run's folder
  bool resume = false;  ///< from the newest valid checkpoint, if any; without `resume`, checkpoints are an error

  /// File that `config` was read from, if any. A new run is refused if its own config.yaml would replace this file.
  std::string config_path = {};

  /// Options in `config` that the command line or the program sets. When a run resumes, those of decode also go into
  /// its config.yaml, for translation.
  Settings settings = {};
};

/// Files that process 0 keeps open in the run's folder. Configuration, vocabulary and samples are also written there.
struct RunRecords {
  std::unique_ptr<CheckpointFolder> checkpoints;  ///< holds the run's lock
  RunLog log;
  std::optional<TensorboardLog> tensorboard = {};  ///< with train.tensorboard
};

/// Reason for the end of training.
enum class TrainingEnd { max_updates, max_epochs, max_minutes, early_stopping, stopped };

/// A run that is ready to train. Its parts are made in this order, each from those before it. Only the lock and
/// the checkpoint to resume from are looked for at first, as they decide options.
struct PreparedRun {
  const Job& job;  ///< the processes that train together; must outlive the run
  std::string folder;
  Config config;                               ///< every option; checkpoint or corpora decide those given as `auto`
  std::unique_ptr<TranslationTask> task = {};  ///< corpora, vocabulary, batches and model
  bool resumes = false;                        ///< true: continues from a checkpoint
  TrainingState state = {};                    ///< where training stands: at the beginning, or at the checkpoint
  Schedule schedule{ScheduleOptions()};        ///< of the learning rate
  std::unique_ptr<Updater> updater = {};       ///< optimizer, moving average of the weights, and the memory of a step
  std::unique_ptr<RunRecords> records = {};    ///< null in processes other than the first
  std::int64_t last_validation = 0;            ///< update of the newest validation in the records; 0 if none
  std::vector<std::string> decided = {};       ///< the options that were `auto`, as in TrainingEvent
  std::vector<LogLine> head = {};              ///< the first lines that `train` logs

  std::int64_t updates_per_epoch() const;
  Progress progress() const;

  /// True if there is validation data, and train.validate_every is not `never`.
  bool validates() const;

  /// Describes the place to resume at: "resumed at update 25 (epoch 2, batch 5)".
  std::string resumption() const;

  /// The limit that training has reached, if any.
  std::optional<TrainingEnd> ending() const;
};

/// Prepares a run: locks its folder, reads the text, decides the options that are `auto`, makes the parts above, and
/// loads a checkpoint or the weights of train.warm_start. Writes the configuration and a new run's vocabulary; when
/// resuming, drops records that are newer than the checkpoint. Sets the threads and the library of matrix products of
/// the whole process. Throws Error on any user mistake; the folder then contains no half-written file. Every process of
/// the job calls it, in one thread.
PreparedRun prepare(const TrainingOrder& order, const Job& job = Job::alone());

/// Trains a prepared run.
class Trainer {
 public:
  explicit Trainer(PreparedRun run);
  Trainer(const Trainer&) = delete;
  ~Trainer() {
    if (!process_.is_this()) static_cast<void>(run_.task.release());  // which would wait for threads
  }

  /// Calls `observer` as well, after the run's own records, in the thread that trains. It must outlive training.
  void add(TrainingObserver& observer) { observers_.push_back(&observer); }

  /// Requests to the whole job to stop or to save after the current update, from an observer, another thread or a
  /// signal handler.
  Requests& requests() { return requests_; }

  /// Trains until a limit, early stopping or a request; returns the reason, a request only if no other applies. Saves
  /// at the period of train.save_every, after the best validations and after the last update. Then, unless stopped,
  /// validates the last weights, if this has not been done, and the mean of checkpoints that decode.average selects. If
  /// training is at its end already, or a stop was requested before, no update is made. An exception saves nothing: it
  /// is passed to the observers as a line and an event (in the process where it occurred), then thrown again; so are
  /// train.max_bad_updates in a row, and exceptions of observers. In a process that an observer forks, it throws when
  /// the observer returns, and writes nothing. Call it once.
  TrainingEnd train();

  /// Seconds of training so far, with those before a resume, without validation and saving.
  double seconds() const { return state_.seconds; }

  /// Work of the whole job since `train` began, without refused updates, which limits do count: updates, source and
  /// target tokens without padding, and computed rows.
  struct Work {
    std::int64_t updates = 0, tokens = 0, rows = 0;
  };
  const Work& work() const { return work_; }

 private:
  /// Calls each observer. A process that one of them forks must not train on, in the files of the run.
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
  std::string doubt_;  // about the translations of the last validation
};

}  // namespace glossa
