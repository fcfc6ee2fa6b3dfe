#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "train/checkpoint/checkpoint.h"
#include "train/checkpoint/checkpoint_folder.h"
#include "train/run.h"
#include "train/run_log.h"
#include "train/signals.h"
#include "train/task.h"
#include "train/updater.h"

namespace glossa {

/// Why training ended.
enum class TrainingEnd { max_updates, max_epochs, max_minutes, early_stopping, signal };

/// One training run: a task, its optimizer and schedule, and the loop over updates. Everything is at an update boundary
/// when it is logged, validated or saved.
class Trainer {
 public:
  /// Sets up the run that `config`, read from `config_path`, describes in `run`, from its newest valid checkpoint if
  /// `resume` and there is one, else afresh. Throws Error for everything that a user can have got wrong; the run's
  /// folder then holds no half-written file.
  Trainer(Config config, const std::string& config_path, const std::string& run, bool resume);

  /// Trains until a limit of the configuration, early stopping or a signal, then saves; says which it was. An error
  /// that ends it is in train.log too, but for one that another process of the job finds.
  TrainingEnd train();

  /// Seconds of training so far, validation and saving left out.
  double seconds() const { return state_.seconds; }

  /// What this process has done: updates, source and target tokens without padding, and the rows that were computed.
  struct Work {
    std::int64_t updates = 0, tokens = 0, rows = 0;
  };
  const Work& work() const { return work_; }

 private:
  // trainer_setup.cpp
  void open_checkpoints();
  void find_run(const std::string& config_path, bool resume);
  void make_task();
  void restore();
  void restore_state(const FoundCheckpoint& found);
  void open_files(bool goes_on);
  void restore_links(bool goes_on);
  void write_head(const std::string& memory);

  // trainer.cpp
  Progress progress() const;
  std::optional<TrainingEnd> ending() const;
  void begin_epoch(std::int64_t epoch, std::int64_t batch);
  TrainingEnd update_until_end();
  void one_update();
  void apply(const Update& update);
  void refuse(const Update& update);
  TrainingReport report() const;
  void log_update(const TrainingReport& report);
  ValidationReport measure();
  bool validate();
  bool validate_end();
  void save(bool is_best);

  Config config_;
  std::string run_;
  std::optional<NewRunFolder> new_folder_;
  std::optional<CheckpointFolder> checkpoints_;
  std::optional<RunLog> log_;
  std::optional<FoundCheckpoint> found_;  // the checkpoint that the run goes on from,
  std::optional<CheckpointReader> base_;  // or that of train.warm_start: of process 0, while it sets up
  // For the head of the log.
  std::vector<std::string> warnings_, notes_;

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
};

}  // namespace glossa
