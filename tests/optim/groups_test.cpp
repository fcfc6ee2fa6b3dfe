#include <doctest/doctest.h>

#include <memory>

#include "base/check.h"
#include "optim/adam.h"
#include "optim/sgd.h"
#include "tests/optim/optim_test.h"

using namespace glossa;
using namespace glossa::test;

TEST_CASE("a group's betas replace those of the optimizer") {
  for (const bool decoupled : {false, true}) {
    Model<double> model;
    const AdamBetas betas{0.7, 0.9};
    Adam<double> adam(model.store,
                      trainable_segments(model.store, 0.01, true, {{.pattern = "encoder.*", .betas = betas}}),
                      {.beta1 = 0.8, .beta2 = 0.98, .decoupled = decoupled});
    std::vector<double> p = copy(model.store.values()), m(p.size()), v(p.size());
    for (int t = 1; t <= 6; ++t) {
      model.set_grads(t);
      for (const Parameter<double>* parameter : model.store.parameters()) {
        const bool in_group = parameter->name.starts_with("encoder.");
        const double beta1 = in_group ? 0.7 : 0.8, beta2 = in_group ? 0.9 : 0.98;
        for (Index i = parameter->offset; i < parameter->offset + parameter->value.size(); ++i) {
          const double g = model.store.grads()[i] + (decoupled ? 0 : 0.01 * p[i]);
          m[i] = beta1 * m[i] + (1 - beta1) * g;
          v[i] = beta2 * v[i] + (1 - beta2) * g * g;
          if (decoupled) p[i] -= 0.02 * 0.01 * p[i];
          p[i] -= 0.02 * m[i] / (1 - std::pow(beta1, t)) / (std::sqrt(v[i] / (1 - std::pow(beta2, t))) + 1e-8);
        }
      }
      adam.step(0.02, 1);
      CHECK(difference(p, copy(model.store.values())) <= 1e-13);
    }
    CHECK(difference(m, copy(adam.state()[0].values)) <= 1e-13);
    CHECK(difference(v, copy(adam.state()[1].values)) <= 1e-13);
  }
}

TEST_CASE("betas out of range and betas for SGD are refused") {
  const Model<double> model;
  const auto segments = [&](AdamBetas betas) {
    return trainable_segments(model.store, 0, false, {{.pattern = "*", .betas = betas}});
  };
  CHECK_THROWS_WITH_AS(Adam<double>(model.store, segments({1, 0.9})),
                       "[AdamBetas::beta1] expected a number in [0, 1); got 1", Error);
  CHECK_THROWS_WITH_AS(Adam<double>(model.store, segments({0.9, -1})),
                       "[AdamBetas::beta2] expected a number in [0, 1); got -1", Error);
  CHECK_THROWS_WITH_AS(Sgd<double>(model.store, segments({})),
                       doctest::Contains("[Segment::betas] expected no betas for SGD"), Error);
}

TEST_CASE("two optimizers on disjoint parts of a store make the steps of one, to the bit") {
  const auto make = [](bool sgd, const ParameterStore<float>& store,
                       std::span<const Segment> segments) -> std::unique_ptr<Optimizer<float>> {
    if (sgd) return std::make_unique<Sgd<float>>(store, segments, SgdOptions{.momentum = 0.9, .nesterov = true});
    return std::make_unique<Adam<float>>(store, segments, AdamOptions{.decoupled = true});
  };
  for (const bool sgd : {false, true}) {
    Model<float> one, two;
    const auto all = trainable_segments(two.store, 0.01);
    const auto single = make(sgd, one.store, trainable_segments(one.store, 0.01));
    const auto encoder = make(sgd, two.store, segments_of(two.store, {"encoder.*"}, all));
    const auto decoder = make(sgd, two.store, segments_of(two.store, {"decoder.*"}, all));
    for (int t = 1; t <= 8; ++t) {
      one.set_grads(t);
      two.set_grads(t);
      CHECK(std::hypot(encoder->grad_norm(), decoder->grad_norm()) == doctest::Approx(single->grad_norm()));
      single->step(0.02, 0.5);
      encoder->step(0.02, 0.5);
      decoder->step(0.02, 0.5);
      CHECK(std::ranges::equal(one.store.values(), two.store.values()));
    }
  }
}
