#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>

#include "autograd/context.h"
#include "train/checkpoint/checkpoint.h"
#include "train/checkpoint/checkpoint_folder.h"
#include "train/evaluation.h"
#include "train/model/criterion.h"
#include "train/run.h"
#include "train/run_log.h"
#include "train/signals.h"

namespace glossa {

/// Why training ended.
enum class TrainingEnd { max_updates, max_epochs, max_minutes, early_stopping, signal };

/// One training run: data, model, optimizer, schedule, and the loop over updates. Everything is at an update boundary
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

  /// The work of an epoch: its updates, the source and target tokens without padding, and their share of the rows that
  /// are computed.
  struct EpochSize {
    std::int64_t updates, tokens;
    double useful_share;
  };
  EpochSize epoch_size() const;

 private:
  struct Update {
    double nll_sum = 0;
    std::int64_t target_tokens = 0, source_tokens = 0;
    double grad_norm = 0;
    bool finite = false;
    std::int64_t first_batch = 0;  // of the epoch in progress; the last is the one before state_.batch
  };

  void prepare_data(bool resuming, std::vector<std::string>& notes);
  std::int64_t updates_per_epoch() const;
  void decide_bleu_tokenizer(std::span<const std::string> target);
  void restore_state(const FoundCheckpoint& found);
  void restore_links(bool goes_on);
  void warm_start(const CheckpointReader& base);
  void make_model_and_optimizer();
  std::string rehearse();
  void write_head(const std::vector<std::string>& notes, const std::string& memory);
  Progress progress() const;
  std::optional<TrainingEnd> ending() const;
  double part_done() const;
  TrainingEnd update_until_end();
  void begin_epoch();
  CrossEntropy<float> loss_of_batch(const StepOptions& options);
  CrossEntropy<float> batch_loss_at(std::int64_t batch, const StepOptions& options);
  Update compute_gradients();
  void apply(const Update& update);
  void refuse(const Update& update);
  std::string first_nonfinite(const Update& update);
  TrainingReport report(const Update& update) const;
  void log_update(const TrainingReport& report);
  ValidationReport measure();
  bool is_best(double metric, bool larger_is_better) const;
  bool validate();
  void validate_end();
  std::string write_samples(std::span<const std::string> sources, std::span<const std::string> references,
                            std::span<const std::string> outputs);
  void save(bool is_best);

  Config config_;
  std::string run_;
  std::optional<NewRunFolder> new_folder_;
  std::optional<CheckpointFolder> checkpoints_;
  Tokenizers tokenizers_;
  EncodedCorpus training_, validation_;
  std::vector<std::string> validation_sources_, validation_references_;
  std::string data_report_;
  std::unique_ptr<Model> model_;
  std::unique_ptr<Optimizer<float>> optimizer_;
  std::unique_ptr<MovingAverage<float>> average_;  // null without train.ema
  Schedule schedule_{ScheduleOptions()};
  TrainingState state_;
  std::optional<RunLog> log_;

  Context<float> context_;
  std::optional<Sampler> sampler_;
  std::vector<std::vector<int>> batches_;  // of the epoch in progress
  Batch batch_;
  BatchRows rows_;
  std::int64_t log_source_tokens_ = 0, log_target_tokens_ = 0;
  double log_seconds_ = 0, lr_ = 0;
  bool save_due_ = false;
};

}  // namespace glossa
