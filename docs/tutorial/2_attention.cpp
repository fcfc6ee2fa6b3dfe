#include <cmath>
#include <cstdio>
#include <exception>
#include <vector>

#include "autograd/ops.h"

using namespace glossa;

void print_rows(const char* title, const Tensor<const double>& matrix) {
  std::printf("%s\n", title);
  for (Index i = 0; i < matrix.rows(); ++i) {
    for (Index j = 0; j < matrix.cols(); ++j) std::printf(" %7.3f", matrix.row(i)[j]);
    std::printf("\n");
  }
}

int main() try {
  // Three tokens in four columns. Queries and keys use only the first one, which is easy to follow by hand.
  std::vector<double> queries{2, 0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0};
  std::vector<double> keys{std::log(1), 0, 0, 0, std::log(2), 0, 0, 0, std::log(5), 0, 0, 0};
  std::vector<double> values{0, 0, 8};  // one column
  const Tensor<double> q_tensor{queries, {3, 4}}, k_tensor{keys, {3, 4}};
  const Tensor<double> v_tensor{values, {3, 1}};
  const RowSpan sentence{.offset = 0, .length = 3};
  const RowLayout layout{.rows = 3, .sequences = {&sentence, 1}};

  Context<double> context;
  Tensor<double> weights;  // [heads, queries, keys]
  for (const bool causal : {false, true}) {
    context.begin({});
    const Variable<double> q = context.input(q_tensor), k = context.input(k_tensor), v = context.input(v_tensor);
    const Variable<double> y = attention<double>(q, k, v, layout, layout, {.causal = causal}, nullptr, &weights);
    print_rows(causal ? "weights, causal" : "weights", {weights.data, {3, 3}});
    print_rows("output", y.value());
    if (causal) continue;
    // How must keys and values change to make the first query's output larger?
    context.backward(sum(select(y, 0, 0)));
    print_rows("dv", v.grad());
    print_rows("dk", k.grad());
  }
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
