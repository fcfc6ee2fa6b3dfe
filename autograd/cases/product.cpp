#include "autograd/cases/layouts.h"

namespace glossa {

namespace {

/// Reference in plain loops for [..., M, K] x [..., K, N], with broadcast batch axes and both transposes.
Reference matmul_reference(bool transpose_a, bool transpose_b) {
  return [=](InputNumbers x) {
    const auto a = extents4(x[0].shape), b = extents4(x[1].shape);
    const Index m = a[transpose_a ? 3 : 2], k = a[transpose_a ? 2 : 3], n = b[transpose_b ? 2 : 3];
    std::vector<double> y;
    for (Index i = 0; i < (a[0] == 1 ? b[0] : a[0]); ++i)
      for (Index j = 0; j < (a[1] == 1 ? b[1] : a[1]); ++j) {
        const double* left = x[0].data + ((a[0] == 1 ? 0 : i) * a[1] + (a[1] == 1 ? 0 : j)) * m * k;
        const double* right = x[1].data + ((b[0] == 1 ? 0 : i) * b[1] + (b[1] == 1 ? 0 : j)) * k * n;
        for (Index r = 0; r < m; ++r)
          for (Index c = 0; c < n; ++c) {
            double sum = 0;
            for (Index p = 0; p < k; ++p)
              sum += left[transpose_a ? p * m + r : r * k + p] * right[transpose_b ? c * k + p : p * n + c];
            y.push_back(sum);
          }
      }
    return y;
  };
}

std::vector<double> linear_reference(InputNumbers x) {
  std::vector<double> y;
  for (Index row = 0; row < x[0].rows(); ++row)
    for (Index o = 0; o < x[1].rows(); ++o) {
      double sum = x.size() > 2 ? x[2][o] : 0;
      for (Index i = 0; i < x[0].cols(); ++i) sum += x[0].row(row)[i] * x[1].row(o)[i];
      y.push_back(sum);
    }
  return y;
}

void add_vector_cases(OpCases& cases) {
  // Adds a row. The result has the shape `expected`, and the numbers that matmul_reference computes with inputs of
  // shapes a and b.
  const auto row = [&](const char* what, Shape vector_a, Shape vector_b, Shape a, Shape b, Shape expected,
                       bool transpose = false) {
    const auto call = [=](auto x) {
      const auto y = matmul(x[0], x[1], transpose, transpose);
      check(y.shape() == expected, "matmul", "expected a result {}; got {}", expected, y.shape());
      return y;
    };
    cases.add(std::string("matmul.") + what, {CaseInput(vector_a), CaseInput(vector_b)}, call)
        .reference([=](InputNumbers x) {
          const Tensor<double> matrices[] = {{x[0].data, a}, {x[1].data, b}};
          return matmul_reference(transpose, false)(matrices);
        });
  };
  row("matrix_vector", {3, 4}, {4}, {3, 4}, {4, 1}, {3});
  row("vector_matrix", {3}, {3, 4}, {1, 3}, {3, 4}, {4});
  row("two_vectors", {4}, {4}, {1, 4}, {4, 1}, {});
  row("stack_vector", {2, 3, 4}, {4}, {2, 3, 4}, {4, 1}, {2, 3});
  row("vector_stack", {3}, {2, 3, 4}, {1, 3}, {2, 3, 4}, {2, 4});
  row("transposed_vector", {4, 3}, {4}, {4, 3}, {4, 1}, {3}, /*transpose=*/true);
  row("empty_vectors", {0}, {0}, {1, 0}, {0, 1}, {});
}

void add_matmul_cases(OpCases& cases) {
  const auto plain = [](auto x) { return matmul(x[0], x[1]); };
  const auto row = cases.rows_of("matmul", plain, matmul_reference(false, false));
  row("plain", {{3, 4}, {4, 2}})
      .error({{3, 4}, {3, 4}}, {"[3, 4]"})
      .error({{3}, {4, 2}}, {"[3]", "[4, 2]"})
      .error({{4, 2}, {4}}, {"[4, 2]", "[4]"})
      .error({{}, {4}}, {"[]", "[4]"})
      .error({{2, 3, 4}, {3, 4, 2}}, {"2", "3"});
  const auto transposed = [&](const char* what, std::vector<CaseInput> inputs, bool a, bool b) {
    cases.add(std::string("matmul.") + what, std::move(inputs), [=](auto x) { return matmul(x[0], x[1], a, b); })
        .reference(matmul_reference(a, b));
  };
  transposed("transpose_a", {{4, 3}, {4, 2}}, true, false);
  transposed("transpose_b", {{3, 4}, {2, 4}}, false, true);
  transposed("transpose_both", {{4, 3}, {2, 4}}, true, true);
  transposed("batched_transpose_both", {{2, 4, 3}, {1, 2, 4}}, true, true);
  row("square", {{3, 3}, {3, 3}});  // square, because one variable is also passed twice
  cases.add("matmul.with_own_transpose", {{3, 4}}, [](auto x) { return matmul(x[0], x[0], false, true); });
  cases.add("matmul.own_transpose_first", {{3, 4}}, [](auto x) { return matmul(x[0], x[0], true, false); });
  row("batched", {{2, 3, 4}, {2, 4, 2}});
  row("two_batch_axes", {{2, 3, 2, 3}, {2, 3, 3, 2}});
  row("broadcast_right", {{2, 3, 4}, {4, 2}});
  row("broadcast_left", {{3, 4}, {2, 4, 2}});
  row("broadcast_both", {{2, 1, 2, 3}, {1, 3, 3, 2}});
  row("broadcast_missing_axis", {{2, 3, 2, 3}, {3, 3, 2}});
  row("m_one", {{1, 4}, {4, 3}});
  row("n_one", {{3, 4}, {4, 1}});
  row("k_one", {{3, 1}, {1, 4}});
  row("all_one", {{1, 1}, {1, 1}});
  row("m_zero", {{0, 4}, {4, 3}});
  row("n_zero", {{3, 4}, {4, 0}});
  row("k_zero", {{3, 0}, {0, 4}});
  row("batch_zero", {{0, 3, 4}, {4, 2}});
  add_vector_cases(cases);
  row("large", {{150, 70}, {70, 530}}).sampling(3);
  row("deep", {{20, 1500}, {1500, 12}}).sampling(3);
}

void add_linear_cases(OpCases& cases) {
  const auto biased = cases.rows_of(
      "linear", [](auto x) { return linear(x[0], x[1], x[2]); }, linear_reference);
  const auto plain = cases.rows_of(
      "linear", [](auto x) { return linear(x[0], x[1]); }, linear_reference);
  biased("bias", {{3, 4}, {2, 4}, {2}})
      .error({{3, 4}, {2, 3}, {2}}, {"[3, 4]", "[2, 3]"})
      .error({{3, 4}, {2, 4}, {3}}, {"[2, 4]", "[3]"});
  plain("no_bias", {{3, 4}, {2, 4}}).error({{3, 4}, {4}}, {"[3, 4]", "[4]"});
  biased("rank_three", {{2, 3, 4}, {5, 4}, {5}});
  biased("vector", {{4}, {3, 4}, {3}});
  biased("one", {{1, 1}, {1, 1}, {1}});
  biased("no_rows", {{0, 4}, {3, 4}, {3}});
  cases.add("linear.weight_twice", {{3, 4}, {4, 4}, {4}},
            [](auto x) { return linear(linear(x[0], x[1], x[2]), x[1], x[2]); });
  plain("square", {{3, 3}, {3, 3}});
  biased("large", {{300, 40}, {530, 40}, {530}}).sampling(3);
}

void add_linear_relu_cases(OpCases& cases) {
  const auto biased = [](double p, const RowLayout& layout) {
    return [=](auto x) { return linear_relu(x[0], x[1], x[2], p, layout); };
  };
  const auto plain = [](double p, const RowLayout& layout) {
    return [=](auto x) { return linear_relu(x[0], x[1], p, layout); };
  };
  // Expected value: relu of the linear layer's reference.
  const auto reference = [](InputNumbers x) {
    std::vector<double> y = linear_reference(x);
    for (double& value : y) value = std::max(value, 0.0);
    return y;
  };
  cases.add("linear_relu.no_dropout", {{5, 4}, {3, 4}, {3}}, biased(0, packed_2_3()))
      .reference(reference)
      .error({{5, 4}, {3, 3}, {3}}, {"[5, 4]", "[3, 3]"})
      .error({{4, 4}, {3, 4}, {3}}, {"[4, 4]"})
      .error({{5, 4}, {3, 4}, {2}}, {"[2]"})
      .error({{5, 4}, {3, 4}, {3}}, biased(2, packed_2_3()), {"2"})
      .error({{5, 4}, {3, 4}, {3}}, biased(0, overlapping_of_5()), {"sequence 1"})
      .error({{5, 4}, {3, 4}, {3}}, biased(0, beyond_5()), {"sequence 1"});
  cases.add("linear_relu.dropout", {{5, 4}, {3, 4}, {3}}, biased(0.3, packed_2_3()));
  cases.add("linear_relu.padded", {{6, 4}, {3, 4}, {3}}, biased(0.3, padded_2_3()));
  cases.add("linear_relu.no_bias", {{5, 4}, {3, 4}}, plain(0.3, packed_2_3()));
  cases.add("linear_relu.large", {{300, 30}, {200, 30}, {200}}, biased(0.3, packed_100_200())).sampling(4);
}

}  // namespace

void add_product_cases(OpCases& cases) {
  add_linear_relu_cases(cases);
  add_matmul_cases(cases);
  add_linear_cases(cases);
}

}  // namespace glossa
