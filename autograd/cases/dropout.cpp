#include "autograd/cases/layouts.h"
#include "autograd/cases/reference.h"

namespace glossa {

namespace {

std::vector<double> sum_of_both(std::span<const Tensor<double>> x) {
  std::vector<double> y;
  for (Index i = 0; i < x[0].size(); ++i) y.push_back(x[0][i] + x[1][i]);
  return y;
}

std::vector<double> zeros(std::span<const Tensor<double>> x) { return std::vector<double>(x[0].size()); }

}  // namespace

void add_dropout_cases(std::vector<OpCase>& cases) {
  const auto row_by_row = [](double p, const RowLayout& layout) {
    return [=](auto x) { return dropout(x[0], p, layout); };
  };
  cases.push_back(op_case("dropout.plain", {{2, 3, 4}}, [](auto x) { return dropout(x[0], 0.3); })
                      .error({{2, 3}}, [](Inputs<double> x) { dropout(x[0], -0.1); }, {"-0.1"})
                      .error({{2, 3}}, [](Inputs<double> x) { dropout(x[0], 1.5); }, {"1.5"}));
  cases.push_back(
      op_case("dropout.nothing_dropped", {{2, 3}}, [](auto x) { return dropout(x[0], 0.0); }).reference(same));
  cases.push_back(op_case("dropout.all_dropped", {{2, 3}}, [](auto x) { return dropout(x[0], 1.0); })
                      .reference(zeros)
                      .with_zero_gradient());
  cases.push_back(op_case("dropout.twice", {{3, 4}}, [](auto x) { return dropout(dropout(x[0], 0.2), 0.3); }));
  cases.push_back(op_case("dropout.packed", {{5, 6}}, row_by_row(0.3, packed_2_3()))
                      .error({{4, 6}}, row_by_row(0.3, packed_2_3()), {"[4, 6]", "5"})
                      .error({{5, 6}}, row_by_row(0, overlapping_of_5()), {"sequence 1"})
                      .error({{5, 6}}, row_by_row(0, beyond_5()), {"sequence 1"}));
  cases.push_back(op_case("dropout.padded", {{6, 6}}, row_by_row(0.3, padded_2_3())));
  cases.push_back(op_case("dropout.size_zero", {{0, 3}}, [](auto x) { return dropout(x[0], 0.3); }));
  cases.push_back(op_case("dropout.large", {{700, 30}}, [](auto x) { return dropout(x[0], 0.3); }).sampling(8));

  const auto added = [](double p, const RowLayout& layout) {
    return [=](auto x) { return add_dropout(x[0], x[1], p, layout); };
  };
  cases.push_back(op_case("add_dropout.packed", {{5, 4}, {5, 4}}, added(0.3, packed_2_3()))
                      .error({{5, 4}, {5, 3}}, added(0.3, packed_2_3()), {"[5, 4]", "[5, 3]"})
                      .error({{4, 4}, {4, 4}}, added(0.3, packed_2_3()), {"[4, 4]", "5"})
                      .error({{5, 4}, {5, 4}}, added(2, packed_2_3()), {"2"})
                      .error({{5, 4}, {5, 4}}, added(0, overlapping_of_5()), {"sequence 1"})
                      .error({{5, 4}, {5, 4}}, added(0, beyond_5()), {"sequence 1"}));
  cases.push_back(op_case("add_dropout.padded", {{6, 4}, {6, 4}}, added(0.3, padded_2_3())));
  cases.push_back(
      op_case("add_dropout.nothing_dropped", {{5, 4}, {5, 4}}, added(0, packed_2_3())).reference(sum_of_both));
  cases.push_back(op_case("add_dropout.all_dropped", {{5, 4}, {5, 4}}, added(1, packed_2_3())).reference(same));
}

}  // namespace glossa
