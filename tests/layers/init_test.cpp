#include "layers/init.h"

#include <doctest/doctest.h>

#include <cmath>

#include "layers/attention.h"

using namespace glossa;

namespace {

struct Moments {
  double mean = 0, deviation = 0, largest = 0;
};

Moments moments(const Initializer& initializer, const Shape& shape) {
  std::vector<double> values(shape.size());
  RandomStream random(1, "weight");
  initializer(values, shape, random);
  Moments m;
  for (const double x : values) {
    m.mean += x / static_cast<double>(values.size());
    m.largest = std::max(m.largest, std::abs(x));
  }
  for (const double x : values) m.deviation += (x - m.mean) * (x - m.mean) / static_cast<double>(values.size());
  m.deviation = std::sqrt(m.deviation);
  return m;
}

}  // namespace

TEST_CASE("initial values have their documented bounds and moments") {
  const Shape shape{300, 100};  // standard error of a mean: deviation / 173
  const double bound = std::sqrt(6.0 / 400);
  for (const double gain : {1.0, 0.5}) {
    const Moments xavier = moments(init::xavier_uniform(gain), shape);
    CHECK(xavier.largest <= gain * bound);
    CHECK(xavier.largest > 0.999 * gain * bound);
    CHECK(std::abs(xavier.mean) < 0.03 * gain * bound);
    CHECK(xavier.deviation == doctest::Approx(gain * bound / std::sqrt(3.0)).epsilon(0.02));
  }
  const Moments uniform = moments(init::uniform(0.25), shape);
  CHECK(uniform.largest <= 0.25);
  CHECK(uniform.largest > 0.2499);
  CHECK(uniform.deviation == doctest::Approx(0.25 / std::sqrt(3.0)).epsilon(0.02));

  const Moments normal = moments(init::normal(0.1), shape);
  CHECK(std::abs(normal.mean) < 0.003);
  CHECK(normal.deviation == doctest::Approx(0.1).epsilon(0.02));
  CHECK(normal.largest > 0.35);
  CHECK(normal.largest < 0.6);

  const Moments constant = moments(init::constant(-2), shape);
  CHECK(constant.mean == doctest::Approx(-2));
  CHECK(constant.deviation < 1e-9);
}

TEST_CASE("a parameter's initial values do not depend on other parameters") {
  ParameterStore<double> alone, among, other_seed;
  Parameter<double>& a = alone.declare("weight", {4, 3}, init::xavier_uniform());
  among.declare("zeta", {5}, init::normal(1));
  Parameter<double>& b = among.declare("weight", {4, 3}, init::xavier_uniform());
  Parameter<double>& twin = among.declare("weight2", {4, 3}, init::xavier_uniform());
  Parameter<double>& c = other_seed.declare("weight", {4, 3}, init::xavier_uniform());
  alone.allocate(1);
  among.allocate(1);
  other_seed.allocate(2);
  const auto copy = [](const Parameter<double>& p) {
    return std::vector<double>(p.value.data, p.value.data + p.value.size());
  };
  CHECK(copy(a) == copy(b));
  CHECK(copy(a) != copy(twin));
  CHECK(copy(a) != copy(c));
}

TEST_CASE("float and double start with the same values") {
  ParameterStore<double> exact;
  ParameterStore<float> rounded;
  Parameter<double>& a = exact.declare("weight", {4, 3}, init::normal(1));
  Parameter<float>& b = rounded.declare("weight", {4, 3}, init::normal(1));
  exact.allocate(7);
  rounded.allocate(7);
  for (Index i = 0; i < a.value.size(); ++i) CHECK(b.value[i] == static_cast<float>(a.value[i]));
}

TEST_CASE("layers start as in PyTorch") {
  ParameterStore<double> store;
  const Index width = 64;
  const Linear<double> linear(store, "linear", width, 200);
  const SelfAttention<double> attention(store, "attention", {.width = width, .heads = 4});
  const SelfAttention<double> grouped(store, "grouped", {.width = width, .heads = 4, .key_heads = 2});
  store.allocate(1);
  const auto largest = [&](const std::string& name) {
    double largest = 0;
    for (const double x : store.at(name).value.span()) largest = std::max(largest, std::abs(x));
    return largest;
  };
  const auto fills = [&](const std::string& name, double bound, double share) {
    CAPTURE(name);
    CHECK(largest(name) <= bound);
    CHECK(largest(name) > share * bound);
  };
  fills("linear.weight", std::sqrt(6.0 / (64 + 200)), 0.99);
  fills("linear.bias", 1 / std::sqrt(64.0), 0.9);
  fills("attention.in_proj_weight", std::sqrt(6.0 / (4 * 64)), 0.99);  // over the whole [3D, D]
  fills("grouped.in_proj_weight", std::sqrt(6.0 / (3 * 64)), 0.99);    // over the whole [(H + 2 G) K, D]
  fills("attention.out_proj.weight", std::sqrt(6.0 / (2 * 64)), 0.99);
  CHECK(largest("attention.in_proj_bias") == 0);
  CHECK(largest("attention.out_proj.bias") == 0);
}
