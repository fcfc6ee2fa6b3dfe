#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "autograd/grad_check.h"
#include "autograd/operators.h"
#include "layers/linear.h"

using namespace glossa;

/// Long short-term memory (Hochreiter and Schmidhuber 1997, with forget gates) in PyTorch's form:
///     i, f, o = sigmoid(...),    g = tanh(...),    c' = f c + i g,    h' = o tanh(c'),
/// each from its rows of W_ih x + W_hh h + b. Parameters: SCOPE.ih.weight [4 H, I], SCOPE.ih.bias [4 H],
/// SCOPE.hh.weight [4 H, H].
template <class T>
class Lstm {
 public:
  struct State {
    Variable<T> h, c;  // [B, H]
  };

  Lstm(ParameterStore<T>& store, const std::string& scope, Index inputs, Index hidden)
      : input_(store, scope + ".ih", inputs, 4 * hidden),
        hidden_(store, scope + ".hh", hidden, 4 * hidden, {.bias = false}),
        width_(hidden) {}

  /// One step: x [B, I].
  State operator()(const Variable<T>& x, const State& last) const {
    const Variable<T> gates = input_(x) + hidden_(last.h);
    const auto gate = [&](Index k) { return slice(gates, 1, k * width_, (k + 1) * width_); };
    const Variable<T> c = sigmoid(gate(1)) * last.c + sigmoid(gate(0)) * tanh(gate(2));
    return {.h = sigmoid(gate(3)) * tanh(c), .c = c};
  }

  /// A sequence, from a state of zeros: x [S, B, I] -> [S, B, H].
  Variable<T> operator()(const Variable<T>& x) const {
    const Index steps = x.shape()[0], batch = x.shape()[1];
    const Variable<T> zeros = full(x.context(), {batch, width_}, 0);
    State state{zeros, zeros};
    std::vector<Variable<T>> outputs;
    for (Index t = 0; t < steps; ++t) {
      state = (*this)(select(x, 0, t), state);
      outputs.push_back(state.h);
    }
    return stack(outputs, 0);
  }

 private:
  Linear<T> input_, hidden_;
  Index width_;
};

int main() try {
  ParameterStore<double> parameters;
  const Lstm<double> lstm(parameters, "lstm", /*inputs=*/3, /*hidden=*/4);
  parameters.allocate(/*seed=*/1);
  std::vector<double> numbers(5 * 2 * 3);  // 5 steps of 2 sequences
  RandomStream random(1, "x");
  for (double& number : numbers) number = random.normal();
  const Tensor<double> x{numbers, {5, 2, 3}};
  const GradCheckResult result = grad_check(
      [&](Context<double>&, std::span<const Variable<double>> inputs) { return lstm(inputs[0]); }, {&x, 1}, parameters);
  std::printf("%s\n", result.describe().c_str());
  return result.passes() ? 0 : 1;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
