#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "train/checkpoint/checkpoint.h"
#include "train/checkpoint/checkpoint_folder.h"
#include "train/processes/job.h"
#include "train/run.h"
#include "train/run_log.h"
#include "train/signals.h"
#include "train/task.h"
#include "train/updater.h"

namespace glossa {

/// Reason for the end of training.
enum class TrainingEnd { max_updates, max_epochs, max_minutes, early_stopping, signal };

/// One training run: a task, its optimizer and schedule, and the update loop. Logging, validation and saving happen at
/// update boundaries.
class Trainer {
 public:
  /// Sets up the run in the folder `run` from `config`, which was read from `config_path`. Starts from the newest valid
  /// checkpoint if `resume` is true and one exists, otherwise afresh. Throws Error on any user mistake; the folder then
  /// contains no half-written file. Keeps a reference to `job`, whose processes train together.
  Trainer(Config config, const std::string& config_path, const std::string& run, bool resume,
          const Job& job = Job::alone());

  /// Trains until a configured limit, early stopping or a signal, then saves; returns the reason. A fatal error is also
  /// written to train.log, unless it occurred in another process of the job.
  TrainingEnd train();

  /// Seconds of training so far, without validation and saving.
  double seconds() const { return state_.seconds; }

  /// Work done by this process: updates, source and target tokens without padding, and computed rows.
  struct Work {
    std::int64_t updates = 0, tokens = 0, rows = 0;
  };
  const Work& work() const { return work_; }

 private:
  // trainer_setup.cpp
  void open_checkpoints();
  void find_run(const std::string& config_path, bool resume);
  void make_task();
  void check_new_run(const Corpora& corpora, const ParallelCorpus* test) const;
  void restore();
  void restore_state(const FoundCheckpoint& found);
  void check_disk_space();
  TextStatistics learned_text() const;
  void open_files(bool resumes);
  void restore_links(bool resumes);
  void write_head(const std::string& memory);

  // trainer.cpp
  Progress progress() const;
  std::int64_t updates_per_epoch() const;
  std::optional<TrainingEnd> ending() const;
  void begin_epoch(std::int64_t epoch, std::int64_t batch);
  TrainingEnd update_until_end();
  void one_update();
  void apply(const Update& update);
  void refuse(const Update& update);
  TrainingReport report() const;
  void warn_about_time(std::int64_t updates, double seconds);
  void log_update(const TrainingReport& report);
  ValidationReport measure();
  bool validate();
  bool validate_start();
  bool validate_end();
  std::string better_at_end() const;
  void save(bool is_best);

  const Job& job_;
  Config config_;
  Config given_;  // as given: options may still be `auto`
  std::string run_;
  CorpusPlaces places_;
  std::optional<NewRunFolder> new_folder_;
  std::optional<CheckpointFolder> checkpoints_;
  std::optional<RunLog> log_;
  // Only in process 0, during setup:
  bool begins_ = false;                   // false if the run began earlier, even if it has no checkpoint yet
  std::optional<FoundCheckpoint> found_;  // the checkpoint to resume from
  std::optional<CheckpointReader> base_;  // the checkpoint of train.warm_start
  // For the head of the log:
  std::vector<std::string> warnings_, notes_;
  std::string exports_;  // a line of the log

  std::unique_ptr<Task> task_;
  std::optional<Updater> updater_;
  Schedule schedule_{ScheduleOptions()};
  TrainingState state_;

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
