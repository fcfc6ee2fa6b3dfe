#pragma once

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "autograd/stopwatch.h"
#include "optim/adam.h"
#include "train/gradient_sum.h"
#include "train/model/criterion.h"

namespace glossa {

/// The measured training step: nn.Transformer as PyTorch builds it (post-norm with final norms, biases everywhere,
/// dropout 0.1 at every place) with separate embeddings and output projection or one table for all, B sentences of S
/// source and T target tokens.
struct StepShape {
  const char* name;
  Index batch, source, target, vocabulary, width, heads, feed_forward, layers;
  Tied tied = Tied::none;

  Index tokens() const { return batch * (source + target); }
};

/// "seed", "tiny", "small", "base" or "opus"; throws misuse for another name.
const StepShape& step_shape(const std::string& name);

/// The model of a shape.
TransformerOptions options_of(const StepShape& shape);

/// Model, optimizer and a random batch of one shape.
class StepBenchmark {
 public:
  /// A step runs the batch `micro_batches` times, shared out among the job's processes.
  explicit StepBenchmark(const StepShape& shape, std::int64_t micro_batches = 1);

  /// Forward, loss, backward, for each micro-batch, then Adam. With a profile every part is timed.
  void step(Profile* profile = nullptr);

  Index parameters() const { return parameters_.count(); }

 private:
  std::int64_t micro_batches_;
  ParameterStore<float> parameters_;
  Transformer<float> model_;
  std::optional<Adam<float>> adam_;
  Batch batch_;
  BatchRows rows_;
  Context<float> context_;
  std::optional<GradientSum> gradient_sum_;
  std::uint64_t update_ = 0;
};

/// Fills `ms` with the milliseconds of one call each, ascending.
template <class Work>
void measure(std::span<double> ms, const Work& work) {
  for (double& time : ms) {
    const Stopwatch watch;
    work();
    time = 1000 * watch.seconds();
  }
  std::ranges::sort(ms);
}

/// The median of sorted numbers; for an even count the mean of the middle two.
double median(std::span<const double> sorted);

}  // namespace glossa
