// The code snippets of docs/cpp.md, which tests/architecture/docs_test.cpp compares with this file.
#include <doctest/doctest.h>

#include "autograd/frame.h"
#include "autograd/operators.h"
#include "optim/adam.h"
#include "optim/clip.h"
#include "optim/lr_schedule.h"

using namespace glossa;

namespace {

/// A layer as in layers/, which this test does not link to.
template <class T>
struct Linear {
  Parameter<T>&weight, &bias;

  Linear(ParameterStore<T>& store, const std::string& scope, Index width)
      : weight(store.declare(scope + ".weight", {width, width}, normal(0.3))),
        bias(store.declare(scope + ".bias", {width}, normal(0.1))) {}

  static Initializer normal(double deviation) {
    return [deviation](std::span<double> values, const Shape&, RandomStream& random) {
      for (double& value : values) value = deviation * random.normal();
    };
  }

  Variable<T> operator()(const Variable<T>& x) const {
    return linear(x, x.context().parameter(weight), x.context().parameter(bias));
  }
};

}  // namespace

TEST_CASE("docs/cpp.md: AdamW with a schedule and clipping trains, and evaluating gives the numbers of training") {
  ParameterStore<float> parameters;
  std::vector<Linear<float>> layers;
  for (const char* scope : {"0", "1", "2", "3"}) layers.emplace_back(parameters, scope, 32);
  parameters.allocate(1);
  std::vector<float> numbers(64 * 32);
  RandomStream random(1, "input");
  for (float& number : numbers) number = static_cast<float>(random.normal());
  const Tensor<const float> input{numbers, {64, 32}};

  Adam<float> adam(parameters, trainable_segments(parameters, /*weight_decay=*/0.01), {.decoupled = true});
  const Schedule schedule({.kind = ScheduleOptions::Kind::cosine, .lr = 1e-2, .warmup = 20, .total_updates = 200});
  Context<float> context, recorded;
  double first = 0, last = 0;
  for (std::int64_t update = 1; update <= 200; ++update) {
    recorded.begin({.training = true});
    parameters.clear_grads();
    Variable<float> y = recorded.constant(input);
    for (const Linear<float>& layer : layers) y = tanh(layer(y));
    const Variable<float> loss = sum(square(y - 0.5));
    const double s = 1.0 / static_cast<double>(y.size());
    last = s * loss.value()[0];
    if (update == 1) first = last;
    recorded.backward(loss);
    adam.step(schedule.lr(update), s * clip_factor(s * adam.grad_norm(), /*max_norm=*/1));
  }
  CHECK_LT(last, 0.2 * first);

  context.begin({.recording = false});
  Variable<float> x = context.constant(input);
  for (const Linear<float>& layer : layers) {
    Frame frame(x);
    x = frame.keep(tanh(layer(x)));
  }
  CHECK_LE(context.arena().peak_bytes(), 4 * numbers.size() * sizeof(float));
  recorded.begin({});
  Variable<float> y = recorded.constant(input);
  for (const Linear<float>& layer : layers) y = tanh(layer(y));
  const auto got = x.value().span(), expected = y.value().span();
  CHECK_EQ(std::vector(got.begin(), got.end()), std::vector(expected.begin(), expected.end()));
}
