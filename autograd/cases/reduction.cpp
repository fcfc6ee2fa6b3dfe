#include <cmath>

#include "autograd/cases/op_case.h"

namespace glossa {

namespace {

using Fold = double (*)(const std::vector<double>& numbers);

double sum_of(const std::vector<double>& numbers) {
  double sum = 0;
  for (const double x : numbers) sum += x;
  return sum;
}

double mean_of(const std::vector<double>& numbers) { return sum_of(numbers) / static_cast<double>(numbers.size()); }

double max_of(const std::vector<double>& numbers) { return *std::max_element(numbers.begin(), numbers.end()); }

double norm_of(const std::vector<double>& numbers) {
  double sum = 0;
  for (const double x : numbers) sum += x * x;
  return std::sqrt(sum);
}

Reference over_all(Fold fold) {
  return [fold](std::span<const Tensor<double>> x) {
    return std::vector<double>{fold({x[0].data, x[0].data + x[0].size()})};
  };
}

Reference over_axis(Fold fold, int axis) {
  return [fold, axis](std::span<const Tensor<double>> x) {
    Index outer = 1, inner = 1;
    const Shape& shape = x[0].shape;
    const int at = axis < 0 ? axis + shape.rank() : axis;
    for (int i = 0; i < at; ++i) outer *= shape[i];
    for (int i = at + 1; i < shape.rank(); ++i) inner *= shape[i];
    std::vector<double> y;
    for (Index o = 0; o < outer; ++o)
      for (Index i = 0; i < inner; ++i) {
        std::vector<double> numbers;
        for (Index k = 0; k < shape[at]; ++k) numbers.push_back(x[0][(o * shape[at] + k) * inner + i]);
        y.push_back(fold(numbers));
      }
    return y;
  };
}

/// `over(x)` reduces all elements, `over(x, axis, keepdim)` one axis.
template <class All, class One>
void add_reduction(std::vector<OpCase>& cases, const std::string& op, Fold fold, All all, One one) {
  const auto along = [one](int axis, bool keep) { return [=](auto x) { return one(x[0], axis, keep); }; };
  cases.push_back(op_case(op + ".all", {{2, 3, 4}}, [all](auto x) { return all(x[0]); }).reference(over_all(fold)));
  cases.push_back(op_case(op + ".scalar", {CaseInput(Shape{}).in(0.5, 1)}, [all](auto x) {
                    return all(x[0]);
                  }).reference(over_all(fold)));
  cases.push_back(op_case(op + ".first_axis", {{4, 3}}, along(0, false))
                      .reference(over_axis(fold, 0))
                      .error({{2, 3}}, along(2, false), {"[2, 3]", "2"})
                      .error({{2, 3}}, along(-3, true), {"[2, 3]", "-3"}));
  cases.push_back(op_case(op + ".middle_axis", {{2, 4, 3}}, along(1, false)).reference(over_axis(fold, 1)));
  cases.push_back(op_case(op + ".last_axis", {{3, 5}}, along(-1, false)).reference(over_axis(fold, 1)));
  cases.push_back(op_case(op + ".keepdim", {{2, 3, 2, 2}}, along(-3, true)).reference(over_axis(fold, 1)));
  cases.push_back(op_case(op + ".extent_one", {{3, 1, 2}}, along(1, false)).reference(over_axis(fold, 1)));
  cases.push_back(op_case(op + ".nothing_left", {{3, 0}}, along(0, false)).reference(over_axis(fold, 0)));
  cases.push_back(op_case(op + ".large_all", {{4, 5003}}, [all](auto x) { return all(x[0]); })
                      .reference(over_all(fold))
                      .sampling(3));
  cases.push_back(op_case(op + ".large_rows", {{700, 30}}, along(-1, false)).reference(over_axis(fold, 1)).sampling(3));
  cases.push_back(
      op_case(op + ".large_columns", {{700, 30}}, along(0, false)).reference(over_axis(fold, 0)).sampling(3));
}

}  // namespace

void add_reduction_cases(std::vector<OpCase>& cases) {
  add_reduction(
      cases, "sum", sum_of, [](auto x) { return sum(x); },
      [](auto x, int axis, bool keep) { return sum(x, axis, keep); });
  cases.push_back(op_case("sum.of_nothing", {{0, 3}}, [](auto x) { return sum(x[0], 0); }).reference([](auto) {
    return std::vector<double>(3);
  }));
  add_reduction(
      cases, "mean", mean_of, [](auto x) { return mean(x); },
      [](auto x, int axis, bool keep) { return mean(x, axis, keep); });
  cases.push_back(op_case("mean.of_one", {{1}}, [](auto x) { return mean(x[0]); })
                      .error({{0, 3}}, [](Inputs<double> x) { mean(x[0]); }, {"[0, 3]"})
                      .error({{0, 3}}, [](Inputs<double> x) { mean(x[0], 0); }, {"[0, 3]"}));
  add_reduction(
      cases, "max", max_of, [](auto x) { return max(x); },
      [](auto x, int axis, bool keep) { return max(x, axis, keep); });
  cases.push_back(op_case("max.of_one", {{1}}, [](auto x) { return max(x[0]); })
                      .error({{0, 3}}, [](Inputs<double> x) { max(x[0]); }, {"[0, 3]"})
                      .error({{0, 3}}, [](Inputs<double> x) { max(x[0], 0); }, {"[0, 3]"}));
  add_reduction(
      cases, "norm", norm_of, [](auto x) { return norm(x); },
      [](auto x, int axis, bool keep) { return norm(x, axis, keep); });
}

}  // namespace glossa
