#include <doctest/doctest.h>

#include <functional>
#include <limits>
#include <memory>

#include "base/check.h"
#include "optim/adam.h"
#include "optim/sgd.h"
#include "tests/optim/optim_test.h"

using namespace glossa;
using namespace glossa::test;

namespace {

constexpr double some_decay = 0.01, some_rate = 0.02, some_scale = 0.5;

enum class Method { adam, adamw, sgd, nesterov };
constexpr Method methods[] = {Method::adam, Method::adamw, Method::sgd, Method::nesterov};

template <class T>
std::unique_ptr<Optimizer<T>> make(Method method, const ParameterStore<T>& store, std::span<const Segment> segments,
                                   OptimizerShare share = {}) {
  if (method == Method::adam || method == Method::adamw)
    return std::make_unique<Adam<T>>(store, segments, AdamOptions{.decoupled = method == Method::adamw}, share);
  return std::make_unique<Sgd<T>>(store, segments, SgdOptions{.momentum = 0.9, .nesterov = method == Method::nesterov},
                                  share);
}

/// Step t of one number, in plain double; a and b are the state.
void update(Method method, double& p, double g, double& a, double& b, double weight_decay, double t) {
  if (method != Method::adamw) g += weight_decay * p;
  if (method == Method::sgd || method == Method::nesterov) {
    a = 0.9 * a + g;
    p -= some_rate * (method == Method::nesterov ? g + 0.9 * a : a);
    return;
  }
  if (method == Method::adamw) p -= some_rate * weight_decay * p;
  a = 0.9 * a + 0.1 * g;
  b = 0.999 * b + 0.001 * g * g;
  p -= some_rate * (a / (1 - std::pow(0.9, t))) / (std::sqrt(b / (1 - std::pow(0.999, t))) + 1e-8);
}

/// Leaves the parameter without a gradient, as it is after clear_grads, with NaN as the old numbers.
template <class T>
void skip(Parameter<T>& parameter) {
  parameter.grad.set = false;
  std::ranges::fill(parameter.grad_tensor().span(), std::numeric_limits<T>::quiet_NaN());
}

}  // namespace

TEST_CASE("parameters without a gradient keep value, state and version, and do not count in the norm") {
  RandomStream random(1, "unused");
  for (const Method method : methods)
    for (const int shares : {1, 3}) {
      CAPTURE(static_cast<int>(method));
      CAPTURE(shares);
      Model<double> model;
      const ParameterStore<double>& store = model.store;
      std::vector<std::unique_ptr<Optimizer<double>>> optimizers;
      const std::vector<Segment> segments = trainable_segments(store, some_decay, true);
      for (int i = 0; i < shares; ++i) optimizers.push_back(make(method, store, segments, {i, shares}));
      std::vector<double> p = copy(store.values()), a(p.size()), b(p.size());
      std::vector<std::uint64_t> versions(store.parameters().size());
      int steps = 0;
      for (int t = 1; t <= 20; ++t) {
        model.set_grads(t);
        for (Parameter<double>* parameter : store.parameters())
          if (random.uniform() < 0.4) skip(*parameter);
        if (std::ranges::none_of(store.parameters(), &Parameter<double>::has_grad)) continue;
        ++steps;
        double squares = 0;
        for (std::size_t k = 0; k < versions.size(); ++k) {
          const Parameter<double>& parameter = *store.parameters()[k];
          if (!parameter.has_grad()) continue;
          versions[k] += static_cast<std::uint64_t>(shares);
          for (Index i = parameter.offset; i < parameter.offset + parameter.value.size(); ++i) {
            const double g = store.grads()[i];
            squares += g * g;
            update(method, p[i], some_scale * g, a[i], b[i], some_decay, steps);
          }
        }
        std::vector<double> sums;
        for (const auto& optimizer : optimizers) {
          const std::span<const double> own = optimizer->squares();
          sums.resize(own.size());
          for (std::size_t i = 0; i < own.size(); ++i) sums[i] += own[i];
        }
        CHECK(optimizers[0]->norm_of(sums) == doctest::Approx(std::sqrt(squares)).epsilon(1e-13));
        for (const auto& optimizer : optimizers) optimizer->step(some_rate, some_scale);
        CHECK(difference(p, copy(store.values())) <= 1e-13);
        for (std::size_t k = 0; k < versions.size(); ++k) CHECK(store.parameters()[k]->version() == versions[k]);
      }
      CHECK(steps > 15);
      for (const auto& optimizer : optimizers) {
        CHECK(optimizer->steps() == steps);
        for (std::size_t k = 0; k < optimizer->state().size(); ++k) {
          const std::vector<double>& expected = k == 0 ? a : b;
          CHECK(difference({expected.begin() + optimizer->begin(), expected.begin() + optimizer->end()},
                           copy(optimizer->state()[k].values)) <= 1e-13);
        }
      }
    }
}

TEST_CASE("shares of a model skip the same parameters, with the norm's bits of a single optimizer") {
  for (const char* unused : {"decoder.in_bias", "decoder.weight", "encoder.norm.weight", "encoder.weight"}) {
    Model<float> model;
    model.set_grads(1);
    skip(model.store.at(unused));
    const std::vector<Segment> segments = trainable_segments(model.store);
    const double norm = make(Method::adam, model.store, segments)->grad_norm();
    std::vector<double> sums;
    for (int i = 0; i < 3; ++i) {
      const auto share = make(Method::adam, model.store, segments, {i, 3});
      const std::span<const double> own = share->squares();
      sums.resize(own.size());
      for (std::size_t k = 0; k < own.size(); ++k) sums[k] += own[k];
      if (i == 2) CHECK(share->norm_of(sums) == norm);
    }
    CHECK(std::isfinite(norm));
  }
}

TEST_CASE("with fill_unset_grads, unused parameters decay and their moments fade") {
  Model<double> model;
  const auto adamw = make(Method::adamw, model.store, trainable_segments(model.store, some_decay));
  Parameter<double>& unused = model.store.at("encoder.weight");
  for (const bool fill : {false, true}) {
    const double before = unused.value[0];
    model.set_grads(1);
    skip(unused);
    if (fill) model.store.fill_unset_grads();
    adamw->step(some_rate, 1);
    CHECK(unused.value[0] == (fill ? before - some_rate * some_decay * before : before));
  }
}

TEST_CASE("if only some parts of a parameter received a gradient, that of the others is zero") {
  for (const Method method : methods) {
    const auto declare = [](ParameterStore<double>& store) -> Parameter<double>& {
      return store.declare("weight", {6, 2}, [](std::span<double> values, const Shape&, RandomStream& random) {
        for (double& x : values) x = random.normal();
      });
    };
    ParameterStore<double> in_parts, whole;
    Parameter<double>&packed = declare(in_parts), &plain = declare(whole);
    Parameter<double>&first = in_parts.part(packed, 0, 2), &second = in_parts.part(packed, 2, 6);
    in_parts.allocate(1);
    whole.allocate(1);
    const auto with_parts = make(method, in_parts, trainable_segments(in_parts, some_decay));
    const auto without = make(method, whole, trainable_segments(whole, some_decay));
    for (const bool swapped : {false, true}) {
      Parameter<double>&used = swapped ? second : first, &unused = swapped ? first : second;
      in_parts.clear_grads();
      std::ranges::fill(used.grad_tensor().span(), 0.25);
      used.grad.set = true;
      skip(unused);
      std::ranges::fill(whole.grads(), 0.0);
      std::fill_n(whole.grads().data() + used.offset, used.value.size(), 0.25);
      plain.grad.set = true;
      CHECK(with_parts->grad_norm() == without->grad_norm());
      skip(unused);
      with_parts->step(some_rate, 1);
      without->step(some_rate, 1);
      CHECK(std::ranges::equal(in_parts.values(), whole.values()));
    }
    in_parts.clear_grads();
    CHECK_THROWS_AS(with_parts->step(some_rate, 1), Error);
  }
}

TEST_CASE("an optimizer without a gradient for its part does nothing if the rest of the store has some") {
  for (const Method method : methods) {
    Model<double> model;
    const std::vector<Segment> all = trainable_segments(model.store, some_decay);
    const auto encoder = make(method, model.store, segments_of(model.store, {"encoder.*"}, all));
    const std::vector<double> before = copy(model.store.values());
    model.set_grads(1);
    for (Parameter<double>* parameter : model.store.parameters())
      if (parameter->name.starts_with("encoder.")) skip(*parameter);
    CHECK(encoder->grad_norm() == 0);
    encoder->step(some_rate, 1);
    CHECK(encoder->steps() == 0);
    CHECK(copy(model.store.values()) == before);
    model.store.clear_grads();
    CHECK_THROWS_WITH_AS(
        encoder->step(some_rate, 1),
        "[optimizer] expected a gradient since clear_grads(); got none. Hint: call backward before step", Error);
  }
}
