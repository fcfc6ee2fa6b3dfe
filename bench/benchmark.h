#pragma once

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/stopwatch.h"
#include "optim/adam.h"
#include "train/gradient_sum.h"
#include "train/model/criterion.h"
#include "train/processes/job.h"

namespace glossa::bench {

/// Sizes of a training step to measure. The model is nn.Transformer with PyTorch's defaults: post-norm with final
/// norms, all biases, all dropouts 0.1. Its embeddings and output projection are separate or tied. The batch has
/// `batch` sentence pairs, each of `source` source tokens and `target` target tokens.
struct StepShape {
  const char* name;
  Index batch, source, target, vocabulary, width, heads, feed_forward, layers;
  Tied tied = Tied::none;

  Index tokens() const { return batch * (source + target); }
};

/// Returns the shape called `name`: "seed", "tiny", "small", "base" or "opus". Throws a misuse error for other names.
const StepShape& step_shape(const std::string& name);

/// Returns the model options of a shape.
TransformerOptions options_of(const StepShape& shape);

/// A model, its optimizer and a random batch, all of one shape.
class StepBenchmark {
 public:
  /// Each step computes the batch `micro_batches` times. The job's processes divide this work among themselves.
  StepBenchmark(const StepShape& shape, Precision precision, std::int64_t micro_batches = 1,
                const Job& job = Job::alone());

  /// Runs forward, loss and backward for each micro-batch, then Adam. Records the time of every part in `profile`, if
  /// given.
  void step(Profile* profile = nullptr);

  Index parameters() const { return parameters_.count(); }

  /// Returns the peak memory of the steps so far: values, gradients and scratch, without parameters and moments.
  double step_mib() const { return static_cast<double>(context_.peak_bytes()) / 1048576; }

 private:
  Precision precision_;
  std::int64_t micro_batches_;
  const Job& job_;
  ParameterStore<float> parameters_;
  Transformer<float> model_;
  std::optional<Adam<float>> adam_;
  Batch batch_;
  Context<float> context_;
  std::optional<GradientSum> gradient_sum_;
  std::uint64_t update_ = 0;
};

/// Calls `work` once for each element of `ms`. Fills `ms` with the calls' durations in milliseconds, in ascending
/// order.
template <class Work>
void measure(std::span<double> ms, const Work& work) {
  for (double& time : ms) {
    const Stopwatch watch;
    work();
    time = 1000 * watch.seconds();
  }
  std::ranges::sort(ms);
}

/// Returns the median of sorted numbers. For an even count, it is the mean of the middle two.
double median(std::span<const double> sorted);

}  // namespace glossa::bench
