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

/// The gradients of some micro-batches, consecutive batches of an epoch: sums over their tokens.
struct Update {
  std::int64_t number = 0;              ///< of updates tried, counted from 0: keys the random numbers
  std::int64_t first = 0, batches = 0;  ///< of the epoch in progress
  double nll_sum = 0;
  std::int64_t target_tokens = 0, source_tokens = 0;
  std::int64_t rows = 0;  ///< computed, padding and both sides included
  double grad_norm = 0;   ///< of the mean over the target tokens

  /// Whether it may move the parameters.
  bool is_finite() const;
};

/// What an update does to a task: gradients of micro-batches, their sum, a step of the optimizer. The processes of the
/// job share out the micro-batches, then the step: each moves its stretch of the parameters. The sum is that of a tree
/// over the micro-batches, so that no bit depends on who computes what.
class Updater {
 public:
  /// The configuration and the task must outlive it.
  Updater(const Config& config, Task& task);

  /// Computes the gradients of the update `number`, over so many batches from `first` on.
  Update gradients(std::int64_t number, std::int64_t first, std::int64_t batches);

  /// Moves the parameters by them.
  void step(const Update& update, double lr);

  /// Does the micro-batches of an update again, watching each op: says where the first bad number came from.
  std::string first_nonfinite(const Update& update, std::int64_t epoch);

  /// One pass forward and back over the largest batch, for the memory that it takes: the arena then has its size. Says
  /// what memory training takes. Nothing that training reads is left changed.
  std::string rehearse();

  /// Whether parameters and moments can be saved.
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
  std::vector<double> tallies_;  // of the micro-batches of an update
  TreeSum<double> nll_sum_{1};
};

}  // namespace glossa
