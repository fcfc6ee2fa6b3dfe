#include <cmath>
#include <numbers>

#include "autograd/cases/reference.h"

namespace glossa {

namespace {

constexpr double pi = std::numbers::pi;

/// Adds rows with ordinary numbers, with a matrix large enough for several threads, and with both tails, where naive
/// formulas overflow or cancel.
template <class Call>
void add_activation(OpCases& cases, const std::string& op, double (*f)(double), Call call) {
  const auto row = cases.rows_of(op, call, elementwise(f));
  const std::vector<double> kinks = {0};  // a kink of relu only; the other activations are smooth
  row("matrix", {CaseInput{4, 5}.in(-3, 3).away_from(kinks)});
  row("rank_three", {CaseInput{2, 2, 3}.away_from(kinks)});
  row("tails", {CaseInput{10}.of({-1000, -90, -30, -8, -1, 1, 8, 30, 90, 1000})});
  row("size_zero", {{0, 4}});
  row("large", {CaseInput{3, 6001}.away_from(kinks)}).sampling(4);
}

double sigmoid_of(double x) { return x < 0 ? std::exp(x) / (1 + std::exp(x)) : 1 / (1 + std::exp(-x)); }

}  // namespace

void add_activation_cases(OpCases& cases) {
  add_activation(cases, "tanh", std::tanh, [](auto x) { return tanh(x[0]); });
  add_activation(cases, "sigmoid", sigmoid_of, [](auto x) { return sigmoid(x[0]); });
  add_activation(
      cases, "relu", [](double x) { return x > 0 ? x : 0.0; }, [](auto x) { return relu(x[0]); });
  cases.add("relu.all_negative", {CaseInput{2, 3}.in(-2, -1)}, [](auto x) { return relu(x[0]); }).with_zero_gradient();
  cases.add("relu.beside_kink", {CaseInput{4}.of({0x1p-10, -0x1p-12, 0x1p-11, -0x1p-9})},
            [](auto x) { return relu(x[0]); });
  add_activation(
      cases, "gelu", [](double x) { return 0.5 * x * std::erfc(-x / std::sqrt(2.0)); },
      [](auto x) { return gelu(x[0]); });
  add_activation(
      cases, "gelu_tanh",
      [](double x) { return 0.5 * x * (1 + std::tanh(std::sqrt(2 / pi) * (x + 0.044715 * x * x * x))); },
      [](auto x) { return gelu_tanh(x[0]); });
  add_activation(
      cases, "silu", [](double x) { return x * sigmoid_of(x); }, [](auto x) { return silu(x[0]); });
  add_activation(
      cases, "softplus", [](double x) { return x > 700 ? x : std::log1p(std::exp(x)); },
      [](auto x) { return softplus(x[0]); });
}

}  // namespace glossa
