#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "autograd/context.h"
#include "data/text_statistics.h"
#include "train/run_log.h"

namespace glossa {

/// A trainable task, as the training loop sees it: parameters, the batches of an epoch with their losses, and
/// validation of the current parameters.
class Task {
 public:
  /// Loss of a batch, on the tape.
  struct Loss {
    Variable<float> sum;  ///< over the target tokens; the objective
    double nll_sum = 0;   ///< the sum without label smoothing
    std::int64_t target_tokens = 0, source_tokens = 0;
    std::int64_t rows = 0;  ///< computed rows of both sides, including padding
  };

  virtual ~Task() = default;

  virtual ParameterStore<float>& parameters() = 0;

  /// Sets up the order of the batches in an epoch; epochs count from 0.
  virtual void begin_epoch(std::int64_t epoch) = 0;

  /// Batches per epoch, the same number in every epoch.
  virtual std::int64_t batches() const = 0;

  /// Begins a step in `context` and computes the loss of a batch of the current epoch.
  virtual Loss loss(Context<float>& context, std::int64_t batch, const StepOptions& options) = 0;

  /// As `loss`, for the batch that needs the most memory.
  virtual Loss largest_loss(Context<float>& context, const StepOptions& options) = 0;

  /// True if validation data exists.
  virtual bool can_validate() const = 0;

  /// Validates the current parameters; returns figures and samples.
  virtual ValidationReport validate(Context<float>& context, ProgressBar& bar) = 0;

  /// Content hashes of the vocabulary and of the training and validation data; a resumed run must have the same hashes.
  virtual std::uint64_t vocabulary_hash() const = 0;
  virtual std::uint64_t data_hash() const = 0;

  /// Statistics of the training text.
  virtual TextStatistics text_statistics() const = 0;

  /// Description of the task for the head of a log, one string per line.
  virtual std::vector<std::string> head() const = 0;

  /// Writes the task's own files to a run's folder.
  virtual void save(const std::string& run) const = 0;
};

}  // namespace glossa
