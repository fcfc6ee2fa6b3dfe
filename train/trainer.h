#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "autograd/context.h"
#include "optim/tree_sum.h"
#include "train/checkpoint/checkpoint.h"
#include "train/checkpoint/checkpoint_folder.h"
#include "train/run.h"
#include "train/run_log.h"
#include "train/signals.h"
#include "train/task.h"

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
  /// that ends it is in train.log too.
  TrainingEnd train();

  /// Seconds of training so far, validation and saving left out.
  double seconds() const { return state_.seconds; }

  /// What this process has done: updates, source and target tokens without padding, and the rows that were computed.
  struct Work {
    std::int64_t updates = 0, tokens = 0, rows = 0;
  };
  const Work& work() const { return work_; }

 private:
  struct Update {
    double nll_sum = 0;
    std::int64_t target_tokens = 0, source_tokens = 0, rows = 0;
    double grad_norm = 0;
    bool finite = false;
    std::int64_t first_batch = 0;  // of the epoch in progress; the last is the one before state_.batch
  };

  // trainer_setup.cpp
  std::vector<std::string> make_task(bool resuming);
  void restore_state(const FoundCheckpoint& found);
  void restore_links(bool goes_on);
  void warm_start(const CheckpointReader& base);
  std::string rehearse();
  void write_head(const std::vector<std::string>& notes, const std::string& memory);

  // trainer.cpp
  Progress progress() const;
  std::optional<TrainingEnd> ending() const;
  void begin_epoch();
  TrainingEnd update_until_end();
  Update compute_gradients();
  void apply(const Update& update);
  void refuse(const Update& update);
  std::string first_nonfinite(const Update& update);
  TrainingReport report(const Update& update) const;
  void log_update(const TrainingReport& report);
  ValidationReport measure();
  bool validate();
  void validate_end();
  void save(bool is_best);

  Config config_;
  std::string run_;
  std::optional<NewRunFolder> new_folder_;
  std::optional<CheckpointFolder> checkpoints_;
  std::optional<RunLog> log_;

  std::unique_ptr<Task> task_;
  std::unique_ptr<Optimizer<float>> optimizer_;
  std::unique_ptr<MovingAverage<float>> average_;  // null without train.ema
  Schedule schedule_{ScheduleOptions()};
  TrainingState state_;
  Context<float> context_;
  std::optional<TreeSum<float>> gradient_sum_;  // over micro-batches
  TreeSum<double> nll_sum_{1};

  Work work_;
  struct {
    std::int64_t tokens = 0;
    double seconds = 0;
  } since_log_;
  double lr_ = 0;
  bool save_due_ = false;
};

}  // namespace glossa
