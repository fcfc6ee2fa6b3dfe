#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "autograd/context.h"
#include "train/run_log.h"

namespace glossa {

/// What is trained, as the loop over updates sees it: parameters, the batches of an epoch with their losses, and what a
/// validation says of the parameters as they are.
class Task {
 public:
  /// The loss of a batch, on the tape.
  struct Loss {
    Variable<float> sum;  ///< over the target tokens, as it is minimised
    double nll_sum = 0;   ///< the same unsmoothed
    std::int64_t target_tokens = 0, source_tokens = 0;
    std::int64_t rows = 0;  ///< that were computed, padding and both sides included
  };

  virtual ~Task() = default;

  virtual ParameterStore<float>& parameters() = 0;

  /// Lays out the order of an epoch, counted from 0.
  virtual void begin_epoch(std::int64_t epoch) = 0;

  /// Of an epoch; all have batches of the same shapes.
  virtual std::int64_t batches() const = 0;

  /// Begins a step of `context` with a batch of the epoch in progress.
  virtual Loss loss(Context<float>& context, std::int64_t batch, const StepOptions& options) = 0;

  /// The same of the batch that takes most memory.
  virtual Loss largest_loss(Context<float>& context, const StepOptions& options) = 0;

  /// Whether there is anything to validate with.
  virtual bool can_validate() const = 0;

  /// The numbers of the parameters as they are, and samples to look at.
  virtual ValidationReport validate(Context<float>& context, ProgressBar& bar) = 0;

  /// Content hashes of what its words are and of what is learnt from and validated with: a run goes on with the same.
  virtual std::uint64_t vocabulary_hash() const = 0;
  virtual std::uint64_t data_hash() const = 0;

  /// What it is, for the head of a log.
  virtual std::vector<std::string> head() const = 0;

  /// Writes what belongs to it beside the checkpoints of a run.
  virtual void save(const std::string& run) const = 0;
};

}  // namespace glossa
