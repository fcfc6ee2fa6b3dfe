#pragma once

#include <memory>
#include <string>
#include <vector>

#include "autograd/context.h"
#include "optim/moving_average.h"
#include "optim/optimizer.h"
#include "optim/tree_sum.h"
#include "train/config/config.h"
#include "train/gradient_sum.h"
#include "train/task.h"

namespace glossa {

/// Gradients of some micro-batches, consecutive batches of an epoch: sums over their tokens.
struct Update {
  std::int64_t number = 0;              ///< among updates tried, from 0: keys the random numbers
  std::int64_t first = 0, batches = 0;  ///< of the current epoch
  double nll_sum = 0;
  std::int64_t target_tokens = 0, source_tokens = 0;
  std::int64_t rows = 0;  ///< computed, with padding and both sides
  double grad_norm = 0;   ///< of the mean over the target tokens

  /// True if it may move the parameters.
  bool is_finite() const;
};

/// Performs updates of a task: gradients of micro-batches, their sum, an optimizer step. The job's processes split the
/// micro-batches, then the step: each moves its stretch of the parameters. The sum is a tree over the micro-batches, so
/// that no bit depends on the distribution of work.
class Updater {
 public:
  /// The configuration and the task must outlive it.
  Updater(const Config& config, Task& task);

  /// Computes the gradients of update `number`, over `batches` batches from `first` on.
  Update gradients(std::int64_t number, std::int64_t first, std::int64_t batches);

  /// Moves the parameters.
  void step(const Update& update, double lr);

  /// Repeats an update's micro-batches, watching each op; returns the origin of the first bad number.
  std::string first_nonfinite(const Update& update, std::int64_t epoch);

  /// Runs forward and backward once over the largest batch, to size the arena. Returns a description of training's
  /// memory. Leaves nothing changed that training reads.
  std::string rehearse();

  /// True if parameters and moments can be saved.
  bool state_is_finite() const;

  Context<float>& context() { return context_; }
  Optimizer<float>& optimizer() { return *optimizer_; }
  MovingAverage<float>* average() { return average_.get(); }  ///< null without train.ema

 private:
  StepOptions step_options(std::int64_t update) const;
  std::string first_nonfinite(std::int64_t update, std::int64_t batch);

  const Config& config_;
  Task& task_;
  ParameterStore<float>& parameters_;
  std::unique_ptr<Optimizer<float>> optimizer_;
  std::unique_ptr<MovingAverage<float>> average_;
  Context<float> context_;
  GradientSum gradient_sum_;
  std::vector<double> tallies_;  // per micro-batch of an update
  TreeSum<double> nll_sum_{1};
};

}  // namespace glossa
