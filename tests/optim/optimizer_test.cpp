#include "optim/optimizer.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <memory>

#include "base/check.h"
#include "base/parallel.h"
#include "optim/adam.h"
#include "optim/clip.h"
#include "optim/sgd.h"
#include "tests/optim/optim_test.h"
#include "tests/support/sanitized.h"

using namespace glossa;
using namespace glossa::test;

namespace {

constexpr double decay = 0.01;

template <class T>
using Maker = std::function<std::unique_ptr<Optimizer<T>>(const ParameterStore<T>&)>;

template <class T>
Maker<T> adam(bool decoupled, double epsilon = 1e-8) {
  return [=](const ParameterStore<T>& store) {
    return std::make_unique<Adam<T>>(
        store, trainable_segments(store, decay),
        AdamOptions{.beta1 = 0.9, .beta2 = 0.98, .epsilon = epsilon, .decoupled = decoupled});
  };
}

template <class T>
Maker<T> sgd() {
  return [](const ParameterStore<T>& store) {
    return std::make_unique<Sgd<T>>(store, trainable_segments(store, decay), SgdOptions{.momentum = 0.9});
  };
}

template <class T>
Maker<T> nesterov() {
  return [](const ParameterStore<T>& store) {
    return std::make_unique<Sgd<T>>(store, trainable_segments(store, decay),
                                    SgdOptions{.momentum = 0.9, .nesterov = true});
  };
}

/// One number's update in the order and form of PyTorch's documentation; a and b are the state.
using Rule = std::function<void(double& p, double g, double& a, double& b, double lr, double weight_decay, int t)>;

Rule adam_rule(bool decoupled) {
  return [=](double& p, double g, double& m, double& v, double lr, double weight_decay, int t) {
    if (decoupled)
      p = p - lr * weight_decay * p;
    else
      g = g + weight_decay * p;
    m = 0.9 * m + (1 - 0.9) * g;
    v = 0.98 * v + (1 - 0.98) * g * g;
    const double m_hat = m / (1 - std::pow(0.9, t)), v_hat = v / (1 - std::pow(0.98, t));
    p = p - lr * m_hat / (std::sqrt(v_hat) + 1e-8);
  };
}

void sgd_rule(double& p, double g, double& buffer, double&, double lr, double weight_decay, int) {
  g = g + weight_decay * p;
  buffer = 0.9 * buffer + g;
  p = p - lr * buffer;
}

void nesterov_rule(double& p, double g, double& buffer, double&, double lr, double weight_decay, int) {
  g = g + weight_decay * p;
  buffer = 0.9 * buffer + g;
  p = p - lr * (g + 0.9 * buffer);
}

double rate(int t) { return 1e-2 / t; }

/// Six updates with changing rates, decoder.weight frozen if asked; compares values after each with the rule.
double worst_against(const Maker<double>& make, const Rule& rule, bool frozen) {
  Model<double> model;
  if (frozen) freeze(model.store, {"decoder.w*"});
  const auto optimizer = make(model.store);
  std::vector<double> p = copy(model.store.values()), a(p.size()), b(p.size());
  double worst = 0;
  for (int t = 1; t <= 6; ++t) {
    model.set_grads(t);
    for (const Parameter<double>* parameter : model.store.parameters()) {
      if (!parameter->trainable) continue;
      const bool decays = parameter->name == "encoder.weight" || parameter->name == "decoder.weight";
      for (Index i = parameter->offset; i < parameter->offset + parameter->value.size(); ++i)
        rule(p[i], 0.5 * model.store.grads()[i], a[i], b[i], rate(t), decays ? decay : 0, t);
    }
    optimizer->step(rate(t), 0.5);
    worst = std::max(worst, difference(p, copy(model.store.values())));
  }
  CHECK(optimizer->steps() == 6);
  const std::vector<double>* expected[] = {&a, &b};  // zero in gaps and for frozen parameters
  for (std::size_t i = 0; i < optimizer->state().size(); ++i)
    worst = std::max(worst, difference(*expected[i], copy(optimizer->state()[i].values)));
  return worst;
}

/// Values and state after updates first, ..., last.
template <class T>
std::vector<double> trained(Model<T>& model, Optimizer<T>& optimizer, int first, int last, double grad_factor = 1,
                            double gradient_scale = 1) {
  for (int t = first; t <= last; ++t) {
    model.set_grads(t, grad_factor);
    optimizer.step(rate(t), gradient_scale);
  }
  std::vector<double> all;  // without the gaps, whose size depends on the scalar
  const auto add = [&](std::span<T> flat) {
    for (const Parameter<T>* parameter : model.store.parameters())
      for (Index i = 0; i < parameter->value.size(); ++i) all.push_back(flat[parameter->offset + i]);
  };
  add(model.store.values());
  for (const StateBuffer<T>& buffer : optimizer.state()) add(buffer.values);
  return all;
}

template <class T>
std::vector<double> trained(const Maker<T>& make, double grad_factor = 1, double gradient_scale = 1) {
  Model<T> model;
  const auto optimizer = make(model.store);
  return trained(model, *optimizer, 1, 6, grad_factor, gradient_scale);
}

}  // namespace

TEST_CASE("Adam, AdamW and SGD follow the papers' formulas, decay weights only and leave frozen parameters alone") {
  for (const bool frozen : {false, true}) {
    CHECK(worst_against(adam<double>(false), adam_rule(false), frozen) <= 1e-14);
    CHECK(worst_against(adam<double>(true), adam_rule(true), frozen) <= 1e-14);
    CHECK(worst_against(sgd<double>(), sgd_rule, frozen) <= 1e-14);
    CHECK(worst_against(nesterov<double>(), nesterov_rule, frozen) <= 1e-14);
  }
}

TEST_CASE("Adam's first step is the learning rate against the gradient's sign") {
  Model<double> model;
  Adam<double> optimizer(model.store, trainable_segments(model.store));
  model.set_grads(1);
  const double before = model.store.values()[0], sign = model.store.grads()[0] > 0 ? 1 : -1;
  optimizer.step(0.125, 1);
  CHECK(model.store.values()[0] == doctest::Approx(before - sign * 0.125).epsilon(1e-4));
}

TEST_CASE("float agrees with double") {
  // If v is nearly zero, Adam divides rounding by rounding. A larger epsilon lets the formulas be compared.
  for (const bool decoupled : {false, true})
    CHECK(difference(trained(adam<double>(decoupled, 1e-4)), trained(adam<float>(decoupled, 1e-4))) <= 1e-5);
  CHECK(difference(trained(sgd<double>()), trained(sgd<float>())) <= 1e-5);
}

TEST_CASE("any number of threads gives the same bits") {
  const int before = threads();
  for (const auto& make : {adam<float>(false), adam<float>(true), sgd<float>()}) {
    set_threads(1);
    const std::vector<double> one = trained(make);
    for (const int count : {2, 4}) {
      set_threads(count);
      CHECK(trained(make) == one);
    }
  }
  set_threads(before);
}

TEST_CASE("gradient_scale is the same as scaled gradients") {
  for (const auto& make : {adam<float>(false), adam<float>(true), sgd<float>()}) {
    CHECK(trained(make, 4, 0.25) == trained(make));
    CHECK(trained(make, 4, 1) != trained(make));
  }
}

TEST_CASE("values, state and steps are all that a resume needs") {
  for (const auto& make : {adam<float>(false), adam<float>(true), sgd<float>()}) {
    Model<float> first, second(2);
    const auto before = make(first.store), after = make(second.store);
    trained(first, *before, 1, 3);
    std::memcpy(second.store.values().data(), first.store.values().data(), first.store.values().size_bytes());
    for (std::size_t i = 0; i < before->state().size(); ++i) {
      CHECK(before->state()[i].name == after->state()[i].name);
      std::memcpy(after->state()[i].values.data(), before->state()[i].values.data(),
                  before->state()[i].values.size_bytes());
    }
    after->set_steps(before->steps());
    CHECK(trained(second, *after, 4, 6) == trained(make));
  }
}

TEST_CASE("state buffers are named, aligned to cache lines and as long as the store's") {
  const Model<float> model;
  const auto optimizer = adam<float>(true)(model.store);
  REQUIRE(optimizer->state().size() == 2);
  CHECK(optimizer->state()[0].name == "m");
  CHECK(optimizer->state()[1].name == "v");
  CHECK(sgd<float>()(model.store)->state()[0].name == "momentum");
  for (const auto& buffer : optimizer->state()) {
    CHECK(buffer.values.size() == model.store.values().size());
    CHECK(reinterpret_cast<std::uintptr_t>(buffer.values.data()) % 64 == 0);
  }
}

TEST_CASE("an epsilon that is zero or infinite in the scalar type is refused") {
  const Model<float> model;
  CHECK_THROWS_WITH_AS(adam<float>(false, 0)(model.store),
                       "[AdamOptions::epsilon] expected a finite number above 0; got 0", Error);
  for (const double bad : {1e-60, 1e60, HUGE_VAL}) CHECK_THROWS_AS(adam<float>(false, bad)(model.store), Error);
}

TEST_CASE("options out of range are refused") {
  const Model<float> model;
  const auto make = [&](AdamOptions options) { Adam<float>(model.store, trainable_segments(model.store), options); };
  CHECK_THROWS_WITH_AS(make({.beta1 = 1}), "[AdamOptions::beta1] expected a number in [0, 1); got 1", Error);
  CHECK_THROWS_AS(make({.beta1 = -0.1}), Error);
  CHECK_THROWS_WITH_AS(make({.beta2 = 1.5}), "[AdamOptions::beta2] expected a number in [0, 1); got 1.5", Error);
  CHECK_THROWS_AS(make({.beta2 = NAN}), Error);
  CHECK_NOTHROW(make({.beta1 = 0, .beta2 = 0}));
  CHECK_THROWS_WITH_AS(Sgd<float>(model.store, trainable_segments(model.store), {.momentum = 1}),
                       "[SgdOptions::momentum] expected a number in [0, 1); got 1", Error);
  CHECK_THROWS_WITH_AS(Sgd<float>(model.store, trainable_segments(model.store), {.nesterov = true}),
                       doctest::Contains("[SgdOptions::nesterov] expected a momentum above 0; got 0"), Error);
}

TEST_CASE("the norm of the gradients covers exactly what the step reads") {
  Model<double> model;
  const auto all = adam<double>(true)(model.store);
  model.set_grads(1);
  const auto norm_without = [&](const std::string& name) {
    double squares = 0;
    for (const Parameter<double>* parameter : model.store.parameters())
      for (const double g : parameter->grad_tensor().span()) squares += parameter->name == name ? 0 : g * g;
    return doctest::Approx(std::sqrt(squares)).epsilon(1e-14);
  };
  CHECK(all->grad_norm() == norm_without(""));
  double by_segments = 0;  // to the bit
  for (const Segment& segment : trainable_segments(model.store, decay))
    by_segments += sum_of_squares<double>(model.store.grads().subspan(segment.begin, segment.end - segment.begin));
  CHECK(all->grad_norm() == std::sqrt(by_segments));
  freeze(model.store, {"decoder.weight"});
  CHECK(adam<double>(true)(model.store)->grad_norm() == norm_without("decoder.weight"));
}

TEST_CASE("optimizers that share a model make the steps of one, each keeping only its part of the state") {
  const auto kinds = std::vector<std::function<std::unique_ptr<Optimizer<float>>(ParameterStore<float>&, int, int)>>{
      [](ParameterStore<float>& store, int index, int count) {
        return std::make_unique<Adam<float>>(store, trainable_segments(store, decay), AdamOptions{.decoupled = true},
                                             OptimizerShare{index, count});
      },
      [](ParameterStore<float>& store, int index, int count) {
        return std::make_unique<Sgd<float>>(store, trainable_segments(store, decay), SgdOptions{.momentum = 0.9},
                                            OptimizerShare{index, count});
      }};
  for (const auto& make : kinds)
    for (const char* frozen : {"encoder.bias", "decoder.weight", "encoder.*"})
      for (int count = 1; count <= 7; count += testing::sanitized ? 3 : 1) {
        CAPTURE(frozen);
        CAPTURE(count);
        Model<float> one, shared;
        freeze(one.store, {frozen});
        freeze(shared.store, {frozen});
        one.store.at("decoder.weight").fixed_row = shared.store.at("decoder.weight").fixed_row = 77;
        const std::unique_ptr<Optimizer<float>> all = make(one.store, 0, 1);
        std::vector<std::unique_ptr<Optimizer<float>>> parts;
        for (int i = 0; i < count; ++i) parts.push_back(make(shared.store, i, count));
        for (int t = 1; t <= 3; ++t) {
          one.set_grads(t);
          shared.set_grads(t);
          const std::span<const double> whole = all->squares();
          std::vector<double> squares(whole.size());
          for (const auto& part : parts) {
            const std::span<const double> own = part->squares();
            for (std::size_t i = 0; i < own.size(); ++i) squares[i] += own[i];
          }
          CHECK(std::ranges::equal(squares, whole));
          CHECK(parts[0]->norm_of(squares) == all->grad_norm());
          all->step(rate(t), 0.5);
          for (const auto& part : parts) part->step(rate(t), 0.5);
        }
        CHECK(std::ranges::equal(one.store.values(), shared.store.values()));
        for (std::size_t k = 0; k < all->state().size(); ++k) {
          std::vector<float> joined;
          for (const auto& part : parts) {
            CHECK(part->begin() == std::ssize(joined));
            joined.insert(joined.end(), part->state()[k].values.begin(), part->state()[k].values.end());
            CHECK(part->end() == std::ssize(joined));
          }
          CHECK(std::ranges::equal(joined, all->state()[k].values));
        }
      }
  Model<float> model;
  CHECK_THROWS_WITH_AS(kinds[0](model.store, 2, 2), "[optimizer] expected one of 2 shares; got number 2", Error);
  CHECK_THROWS_WITH_AS(sgd<float>()(model.store)->norm_of({}), doctest::Contains("[optimizer] expected the squares of"),
                       Error);
}

TEST_CASE("gradients of frozen parameters are neither cleared nor read") {
  Model<float> model;
  freeze(model.store, {"decoder.weight"});
  const auto optimizer = adam<float>(false)(model.store);
  model.set_grads(1);
  const double norm = optimizer->grad_norm();
  std::ranges::fill(model.store.at("decoder.weight").grad_tensor().span(), 1e30f);
  model.store.fill_unset_grads();
  CHECK(model.store.at("decoder.weight").grad.data[0] == 1e30f);
  CHECK(optimizer->grad_norm() == norm);
}

TEST_CASE("a fixed row keeps its bits, has no moments and does not count in the norm") {
  for (const Maker<float>& make : {adam<float>(true), adam<float>(false), sgd<float>()}) {
    Model<float> model;
    Parameter<float>& weight = model.store.at("decoder.weight");
    weight.fixed_row = 3;
    const Index width = weight.value.shape[1];
    const auto row = [&](std::span<float> all) { return all.subspan(weight.offset + 3 * width, width); };
    const std::vector<float> before(model.store.values().begin(), model.store.values().end());
    const auto optimizer = make(model.store);
    for (int t = 1; t <= 20; ++t) {
      model.set_grads(t);
      const double norm = optimizer->grad_norm();
      std::ranges::fill(row(model.store.grads()), std::numeric_limits<float>::quiet_NaN());
      CHECK(optimizer->grad_norm() == norm);
      optimizer->step(rate(t), 0.5);
    }
    CHECK(std::ranges::equal(row(model.store.values()), std::span(before).subspan(weight.offset + 3 * width, width)));
    for (const auto& buffer : optimizer->state()) CHECK(std::ranges::count(row(buffer.values), 0.0f) == width);
    for (const Index other : {2, 4}) {
      const Index at = weight.offset + other * width;
      CHECK(model.store.values()[at] != before[static_cast<std::size_t>(at)]);
    }
  }
}

TEST_CASE("a step without any gradient is refused") {
  Model<double> model;
  const auto make = {adam<double>(true), sgd<double>()};
  for (const Maker<double>& maker : make) {
    const auto optimizer = maker(model.store);
    model.set_grads(1);
    model.store.clear_grads();
    CHECK_THROWS_WITH_AS(optimizer->step(0.1, 1), doctest::Contains("Hint: call backward before step"), Error);
    CHECK(optimizer->steps() == 0);
    model.store.fill_unset_grads();
    CHECK_NOTHROW(optimizer->step(0.1, 1));
  }
  const auto optimizer = adam<double>(true)(model.store);
  freeze(model.store, {"decoder.weight"});
  model.set_grads(2);
  CHECK_THROWS_WITH_AS(optimizer->step(0.1, 1), doctest::Contains("[decoder.weight] expected a trainable parameter"),
                       Error);
  CHECK_NOTHROW(adam<double>(true)(model.store)->step(0.1, 1));
}

TEST_CASE("constructing an optimizer without trainable parameters is refused") {
  ParameterStore<double> store;
  store.declare("weight", {3, 2}, [](std::span<double>, const Shape&, RandomStream&) {});
  CHECK_THROWS_WITH_AS(trainable_segments(store), doctest::Contains("call allocate() first"), Error);
  CHECK_THROWS_WITH_AS(Adam<double>(store, {}), doctest::Contains("call allocate() first"), Error);
  CHECK_THROWS_WITH_AS(Sgd<double>(store, {}), doctest::Contains("call allocate() first"), Error);
  store.allocate(1);
  CHECK_NOTHROW(Adam<double>(store, trainable_segments(store)));
}

TEST_CASE("segments of another store and steps of non-finite size are refused") {
  Model<double> model;
  const Index size = std::ssize(model.store.values());
  const std::vector<std::vector<Segment>> wrong{
      {{0, size + 8}}, {{-8, 8}}, {{0, 16}, {8, 24}}, {{16, 24}, {0, 8}}, {{8, 0}}};
  for (const std::vector<Segment>& segments : wrong)
    CHECK_THROWS_WITH_AS(Adam<double>(model.store, segments), doctest::Contains("ordered, disjoint segments"), Error);
  for (const Maker<double>& maker : {adam<double>(true), sgd<double>()}) {
    const auto optimizer = maker(model.store);
    model.set_grads(1);
    const std::vector<double> before(model.store.values().begin(), model.store.values().end());
    for (const double bad : {-1.0, double{NAN}, double{INFINITY}})
      CHECK_THROWS_WITH_AS(optimizer->step(bad, 1),
                           doctest::Contains("[optimizer] expected a finite learning rate of at least 0; got "), Error);
    CHECK_THROWS_WITH_AS(optimizer->step(0.1, 1.0 / 0.0),
                         doctest::Contains("expected a finite gradient scale; got inf. Hint: gradients with NaN give a "
                                           "clip factor of NaN, and a batch without targets"),
                         Error);
    CHECK(std::ranges::equal(model.store.values(), before));
    CHECK(optimizer->steps() == 0);
  }
}

TEST_CASE("a parameter that is unfrozen later is not silently ignored") {
  Model<double> model;
  freeze(model.store, {"decoder.weight"});
  for (const Maker<double>& maker : {adam<double>(true), sgd<double>()}) {
    const auto optimizer = maker(model.store);
    model.store.at("decoder.weight").trainable = true;
    model.set_grads(1);
    CHECK_THROWS_WITH_AS(optimizer->step(0.1, 1), doctest::Contains("[decoder.weight] expected a frozen parameter"),
                         Error);
    CHECK_NOTHROW(maker(model.store)->step(0.1, 1));
    model.store.at("decoder.weight").trainable = false;
    CHECK_NOTHROW(optimizer->step(0.1, 1));
  }
}

TEST_CASE("the learning rate of a segment is the step's times its factor") {
  const std::vector<ParameterGroup> factors{{"decoder.*", 0.25}};
  const auto options = [](bool decoupled) { return AdamOptions{.beta2 = 0.98, .decoupled = decoupled}; };
  using MakeWith =
      std::function<std::unique_ptr<Optimizer<double>>(const ParameterStore<double>&, std::span<const Segment>)>;
  const MakeWith optimizers[] = {
      [&](const auto& store, auto segments) { return std::make_unique<Adam<double>>(store, segments, options(false)); },
      [&](const auto& store, auto segments) { return std::make_unique<Adam<double>>(store, segments, options(true)); },
      [&](const auto& store, auto segments) {
        return std::make_unique<Sgd<double>>(store, segments, SgdOptions{.momentum = 0.9});
      }};
  for (const MakeWith& make : optimizers) {
    Model<double> usual, slow, mixed;
    const auto step = [&](Model<double>& model, const std::vector<ParameterGroup>& lr_factors, double lr) {
      const auto optimizer = make(model.store, trainable_segments(model.store, decay, false, lr_factors));
      for (int t = 1; t <= 3; ++t) {
        model.set_grads(t);
        optimizer->step(lr, 1);
      }
    };
    step(usual, {}, 0.5);
    step(slow, {}, 0.125);
    step(mixed, factors, 0.5);
    const auto moved_as = [&](const Model<double>& other, const char* name) {
      return std::ranges::equal(mixed.store.at(name).value.span(), other.store.at(name).value.span());
    };
    CHECK(moved_as(usual, "encoder.weight"));
    CHECK(moved_as(slow, "decoder.weight"));
    CHECK_FALSE(moved_as(usual, "decoder.weight"));
  }
  const Model<double> model;
  for (const double decay : {-0.1, std::nan("")}) {
    const Segment growing[] = {{.begin = 0, .end = 8, .weight_decay = decay}};
    CHECK_THROWS_WITH_AS(Sgd<double>(model.store, growing), doctest::Contains("[Segment::weight_decay]"), Error);
  }
  const Segment backwards[] = {{.begin = 0, .end = 8, .lr_factor = -1}};
  CHECK_THROWS_WITH_AS(Sgd<double>(model.store, backwards),
                       "[Segment::lr_factor] expected a finite number of at least 0; got -1", Error);
}

TEST_CASE("a comparison with NaN reports a difference") { CHECK(std::isinf(difference({1, 2}, {1, NAN}))); }

TEST_CASE("a gradient whose square overflows has an infinite norm: Adam would never move again") {
  Model<float> model;
  const auto optimizer = adam<float>(false)(model.store);
  model.set_grads(1);
  float& g = model.store.grads()[0];
  g = 1e18f;
  CHECK(optimizer->grad_norm() == doctest::Approx(1e18));
  g = 1e20f;
  CHECK(std::isinf(optimizer->grad_norm()));
  optimizer->step(1e-3, 1);  // the moment is beyond float, and every later step is divided by it
  CHECK(std::isinf(optimizer->state()[1].values[0]));
  g = NAN;
  CHECK(std::isnan(optimizer->grad_norm()));
  Model<double> wide;
  wide.set_grads(1, 0);
  wide.store.grads()[0] = 1e20;
  CHECK(adam<double>(false)(wide.store)->grad_norm() == 1e20);
}
