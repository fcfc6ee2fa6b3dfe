#include <limits>
#include <utility>

#include "tests/layers/model_fixture.h"

using namespace glossa;
using namespace glossa::test;

TEST_CASE("the token that starts the decoder has a fixed row of zeros; everything else is unchanged") {
  for (const Tied tied : {Tied::none, Tied::output, Tied::all, Tied::embeddings}) {
    TransformerOptions options = small_options();
    options.tied = tied;
    const Model<float> without(options);
    options.start_row = pad;
    const Model<float> with(options);
    int fixed = 0;
    for (const Parameter<float>* parameter : with.store.parameters()) {
      CAPTURE(parameter->name);
      const Parameter<float>& other = without.store.at(parameter->name);
      CHECK(other.fixed_row == -1);
      const bool is_of_target = parameter->name.starts_with("tgt_tok_emb") || parameter->name.starts_with("tok_emb") ||
                                parameter->name.starts_with("generator");
      CHECK(parameter->fixed_row == (is_of_target ? pad : -1));
      fixed += is_of_target;
      const Index row = is_of_target ? parameter->value.size() / vocabulary : 0;
      for (Index i = 0; i < parameter->value.size(); ++i)
        CHECK(parameter->value[i] == (row > 0 && i / row == pad ? 0 : other.value[i]));
    }
    CHECK(fixed == (tied == Tied::none || tied == Tied::embeddings ? 3 : 2));
  }
  TransformerOptions options = small_options();
  options.start_row = vocabulary;
  CHECK_THROWS_WITH_AS(Model<float>{options},
                       doctest::Contains("[TransformerOptions::start_row] expected a token from 0"), Error);
}

TEST_CASE("a bias that rules out a token leaves likelihood and gradients unchanged, even with label smoothing") {
  const OneThread one_thread;
  constexpr int away = 0;
  constexpr double smoothing = 0.1;
  const Pair batch({4, 0, 6, 3, 1}, packed);
  Model<float> model(small_options());
  const auto step = [&](float bias) {
    model.store.at("generator.bias").value[away] = bias;
    model.context.begin({.training = true, .update = 0});
    model.store.clear_grads();
    const Variable<float> memory = model.network.encode(model.context, batch.source.ids, batch.source.layout());
    const Variable<float> states =
        model.network.decode(model.context, batch.target.ids, batch.target.layout(), memory, batch.source.layout());
    const CrossEntropy<float> cost = model.network.loss(states, batch.target.goals, pad, smoothing);
    model.context.backward(cost.sum);
    model.store.fill_unset_grads();
    Outcome<float> result{.loss = cost.sum.value()[0], .nll = cost.nll_sum, .count = cost.count};
    for (const Parameter<float>* p : model.store.parameters())
      result.grads.emplace_back(p->grad.data, p->grad.data + p->value.size());
    return result;
  };
  const Outcome<float> usual = step(-200);  // e^-200 is negligible
  for (const float bias : {-1e4F, -1e9F, -std::numeric_limits<float>::infinity()}) {
    CAPTURE(bias);
    Outcome<float> kept_away = step(bias);
    const double loss = std::exchange(kept_away.loss, usual.loss);
    check_close(kept_away, usual, 1e-5, {});
    // The token's share of the smoothing costs in proportion to its logit.
    const double more = smoothing / vocabulary * static_cast<double>(usual.count) * (-200 - double{bias});
    CHECK((loss == doctest::Approx(usual.loss + more).epsilon(1e-4) || std::isinf(bias)));
    CHECK(std::isinf(loss) == std::isinf(bias));
  }
}
