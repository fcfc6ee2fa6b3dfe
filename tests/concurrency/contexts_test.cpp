// Several contexts evaluate one store at the same time, as the contract allows. Also run under ThreadSanitizer.

#include <doctest/doctest.h>

#include <algorithm>
#include <thread>

#include "autograd/kernels/gemm.h"
#include "autograd/ops.h"
#include "base/parallel.h"
#include "layers/cases/small_transformer.h"

using namespace glossa;

namespace {

constexpr Index rows = 48, width = 32, classes = 40;

Initializer normal() {
  return [](std::span<double> values, const Shape&, RandomStream& random) {
    for (double& value : values) value = random.normal() / 4;
  };
}

/// Two layers and an output, whose weights several threads read.
struct Model {
  ParameterStore<float> store;
  Parameter<float>&hidden = store.declare("hidden", {width, width}, normal()),
  &output = store.declare("output", {classes, width}, normal()), &bias = store.declare("bias", {classes}, normal());
  std::vector<float> inputs = std::vector<float>(rows * width);
  std::vector<int> targets = std::vector<int>(rows);

  Model() {
    store.allocate(1);
    RandomStream random(1, "inputs");
    for (float& x : inputs) x = static_cast<float>(random.normal());
    for (int& target : targets) target = static_cast<int>(random.below(classes));
  }

  /// The loss of step `update`; each has its own inputs.
  double loss(Context<float>& context, std::uint64_t update, bool recording) {
    context.begin({.training = true, .recording = recording, .update = update});
    const auto x = scale(context.constant({inputs.data(), {rows, width}}), 1.0 + 0.1 * static_cast<double>(update));
    const auto h = dropout(relu(linear(x, context.parameter(hidden))), 0.1);
    return linear_cross_entropy<float>(h, context.parameter(output), context.parameter(bias), targets, -1).nll_sum;
  }
};

}  // namespace

TEST_CASE("two threads that evaluate one model, each in its own context, get the results of one") {
  const int before = threads();
  const kernels::GemmBackend backend = kernels::gemm_backend();
  set_threads(1);
  kernels::set_gemm_backend(kernels::GemmBackend::eigen);
  Model model;
  constexpr std::uint64_t steps = 40;
  for (const bool recording : {true, false}) {
    std::vector<double> expected(steps), got[2];
    Context<float> alone;
    for (std::uint64_t i = 0; i < steps; ++i) expected[i] = model.loss(alone, i, recording);
    std::vector<std::thread> team;
    for (std::vector<double>& losses : got)
      team.emplace_back([&] {
        Context<float> context;
        for (std::uint64_t i = 0; i < steps; ++i) losses.push_back(model.loss(context, i, recording));
      });
    for (std::thread& thread : team) thread.join();
    CHECK(got[0] == expected);
    CHECK(got[1] == expected);
  }
  kernels::set_gemm_backend(backend);
  set_threads(before);
}

TEST_CASE("two threads that translate with one Transformer share its prepared weights") {
  const int before = threads();
  const kernels::GemmBackend backend = kernels::gemm_backend();
  set_threads(1);
  kernels::set_gemm_backend(kernels::GemmBackend::eigen);
  ParameterStore<float> store;
  const Transformer<float> model(store,
                                 small_transformer(classes, 0.1, {.width = width, .heads = 4, .feed_forward = 64}));
  store.allocate(1);
  const auto translate = [&](PreparedWeights<float>& weights, int first) {
    const std::vector<int> source{first, 5, 6, 7};
    const RowSpan span{0, std::ssize(source)};
    const RowLayout layout{.rows = span.length, .sequences = {&span, 1}};
    Context<float> context;
    context.set_prepared_weights(&weights);
    DecoderCache<float> cache;
    context.begin({.recording = false});
    model.start(cache, model.encode(context, source, layout), layout, 1, 12);
    std::vector<int> tokens{2};
    for (int step = 0; step < 10; ++step) {
      context.begin({.recording = false});
      const std::span<const float> logits = model.step(context, std::span(tokens).last(1), cache).value().span();
      tokens.push_back(static_cast<int>(std::ranges::max_element(logits) - logits.begin()));
    }
    return tokens;
  };
  std::vector<std::vector<int>> expected(8), got(8);
  PreparedWeights<float> alone, shared;
  for (int i = 0; i < 8; ++i) expected[i] = translate(alone, i);
  std::vector<std::thread> team;
  for (int thread = 0; thread < 2; ++thread)
    team.emplace_back([&, thread] {
      for (int i = thread; i < 8; i += 2) got[i] = translate(shared, i);
    });
  for (std::thread& thread : team) thread.join();
  CHECK(got == expected);
  kernels::set_gemm_backend(backend);
  set_threads(before);
}

TEST_CASE("two threads that measure, each with its own profile, see only their own products") {
  const int before = threads();
  set_threads(1);
  Model model;
  const auto flop = [&](int steps) {
    Profile profile;
    Context<float> context;
    context.set_profile(&profile);
    profile.start();
    for (int i = 0; i < steps; ++i) model.loss(context, static_cast<std::uint64_t>(i), false);
    double sum = 0;
    for (const Profile::Row& row : profile.rows()) sum += row.flop;
    return sum;
  };
  const double once = flop(1);
  CHECK(once > 0);
  double got[2] = {};
  std::thread first([&] { got[0] = flop(10); }), second([&] { got[1] = flop(20); });
  first.join();
  second.join();
  CHECK(got[0] == 10 * once);
  CHECK(got[1] == 20 * once);
  set_threads(before);
}
