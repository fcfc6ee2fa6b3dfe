#pragma once

#include <memory>
#include <string>
#include <vector>

#include "autograd/context.h"
#include "config/config.h"
#include "optim/moving_average.h"
#include "optim/optimizer.h"
#include "optim/tree_sum.h"
#include "train/gradient_sum.h"
#include "train/processes/job.h"
#include "train/translation_task.h"

namespace glossa {

/// Figures of one update, summed over the tokens of its micro-batches, which are consecutive batches of an epoch.
struct Update {
  std::int64_t number = 0;              ///< counts attempted updates, from 0; keys the random numbers
  std::int64_t first = 0, batches = 0;  ///< first batch in the current epoch, and number of batches
  double nll_sum = 0;
  std::int64_t target_tokens = 0, source_tokens = 0;
  std::int64_t rows = 0;  ///< computed rows of both sides, including padding
  double grad_norm = 0;   ///< norm of the gradient of the mean loss per target token

  /// True if loss and gradient norm are finite; only then may the optimizer apply the update.
  bool is_finite() const;
};

/// Performs updates of a task. An update computes the gradients of its micro-batches, sums them, and makes an optimizer
/// step. The job's processes divide the micro-batches among themselves. In the step, each process updates its slice of
/// the parameters. Gradients are summed in a tree over the micro-batches, so the bits of the sum do not depend on the
/// division of work.
class Updater {
 public:
  /// Keeps references to `task` and `job`.
  Updater(const Config& config, TranslationTask& task, const Job& job = Job::alone());

  /// Computes the gradients of update `number` over `batches` batches, starting with batch `first`.
  Update gradients(std::int64_t number, std::int64_t first, std::int64_t batches);

  /// Applies the optimizer step, then updates the moving average.
  void step(const Update& update, double lr);

  /// Repeats an update's micro-batches and checks each op's result. Returns the origin of the first non-finite number.
  std::string first_nonfinite(const Update& update, std::int64_t epoch);

  /// Runs forward and backward once over the largest batch, without most matrix products, to size the arena. Returns a
  /// description of training's memory. Does not affect training.
  std::string rehearse();

  /// True if all parameters and moments are finite in all processes.
  bool state_is_finite() const;

  Context<float>& context() { return context_; }
  Optimizer<float>& optimizer() { return *optimizer_; }
  MovingAverage<float>* average() { return average_.get(); }  ///< null without train.ema

 private:
  StepOptions step_options(std::int64_t update) const;
  std::string first_nonfinite(std::int64_t update, std::int64_t batch);

  const Config config_;
  TranslationTask& task_;
  const Job& job_;
  ParameterStore<float>& parameters_;
  std::unique_ptr<Optimizer<float>> optimizer_;
  std::unique_ptr<MovingAverage<float>> average_;
  Context<float> context_;
  GradientSum gradient_sum_;
  std::vector<double> tallies_;  // figures of each micro-batch in an update
  TreeSum<double> nll_sum_{1};
};

}  // namespace glossa
