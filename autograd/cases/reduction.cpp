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

double var_of(const std::vector<double>& numbers) {
  double sum = 0;
  const double mean = mean_of(numbers);
  for (const double x : numbers) sum += (x - mean) * (x - mean);
  return sum / static_cast<double>(numbers.size() - 1);
}

double stddev_of(const std::vector<double>& numbers) { return std::sqrt(var_of(numbers)); }

double norm_of(const std::vector<double>& numbers) {
  double sum = 0;
  for (const double x : numbers) sum += x * x;
  return std::sqrt(sum);
}

Reference over_all(Fold fold) {
  return [fold](InputNumbers x) { return std::vector<double>{fold({x[0].data, x[0].data + x[0].size()})}; };
}

Reference over_axis(Fold fold, int axis) {
  return [fold, axis](InputNumbers x) {
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

/// Reference: reduces a tensor [A, B, C] over axes 0 and 2.
Reference over_outer_axes(Fold fold) {
  return [fold](InputNumbers x) {
    const Shape& shape = x[0].shape;
    std::vector<double> y;
    for (Index b = 0; b < shape[1]; ++b) {
      std::vector<double> numbers;
      for (Index a = 0; a < shape[0]; ++a)
        for (Index c = 0; c < shape[2]; ++c) numbers.push_back(x[0][(a * shape[1] + b) * shape[2] + c]);
      y.push_back(fold(numbers));
    }
    return y;
  };
}

/// Adds rows that reduce several axes.
template <class Reduce>
void add_axes(OpCases& cases, const std::string& op, Fold fold, Reduce reduce) {
  const auto along = [reduce](std::initializer_list<int> axes, bool keep, Shape expected) {
    return [=, axes = std::vector<int>(axes)](auto x) {
      const auto y = reduce(x[0], Axes(axes), keep);
      check(y.shape() == expected, "reduction", "expected a result {}; got {}", expected, y.shape());
      return y;
    };
  };
  cases.add(op + ".axes", {{2, 3, 4}}, along({0, 2}, false, {3}))
      .reference(over_outer_axes(fold))
      .error({{2, 3}}, along({0, -2}, false, {}), {"[2, 3]", "axis 0 twice"})
      .error({{2, 3}}, along({0, 2}, false, {}), {"[2, 3]", "got 2"})
      .error({{2, 3}}, along({}, false, {}), {"[2, 3]", "none"});
  cases.add(op + ".axes_keepdim", {{2, 3, 4}}, along({-1, 0}, true, {1, 3, 1})).reference(over_outer_axes(fold));
  cases.add(op + ".axes_one", {{4, 3}}, along({0}, false, {3})).reference(over_axis(fold, 0));
  cases.add(op + ".axes_all", {{4, 3}}, along({1, 0}, false, {})).reference(over_all(fold));
  cases.add(op + ".axes_large", {{40, 30, 40}}, along({0, 2}, false, {30}))
      .reference(over_outer_axes(fold))
      .sampling(3);
}

/// Adds a reduction's rows. `reduce(x)` reduces all elements, `reduce(x, axis, keepdim)` one axis.
template <class Reduce>
void add_reduction(OpCases& cases, const std::string& op, Fold fold, Reduce reduce) {
  const auto all = [reduce](auto x) { return reduce(x[0]); };
  const auto along = [reduce](int axis, bool keep) { return [=](auto x) { return reduce(x[0], axis, keep); }; };
  cases.add(op + ".all", {{2, 3, 4}}, all).reference(over_all(fold));
  cases.add(op + ".first_axis", {{4, 3}}, along(0, false))
      .reference(over_axis(fold, 0))
      .error({{2, 3}}, along(2, false), {"[2, 3]", "2"})
      .error({{2, 3}}, along(-3, true), {"[2, 3]", "-3"});
  cases.add(op + ".middle_axis", {{2, 4, 3}}, along(1, false)).reference(over_axis(fold, 1));
  cases.add(op + ".last_axis", {{3, 5}}, along(-1, false)).reference(over_axis(fold, 1));
  cases.add(op + ".keepdim", {{2, 3, 2, 2}}, along(-3, true)).reference(over_axis(fold, 1));
  cases.add(op + ".nothing_left", {{3, 0}}, along(0, false)).reference(over_axis(fold, 0));
  cases.add(op + ".large_all", {{4, 5003}}, all).reference(over_all(fold)).sampling(3);
  cases.add(op + ".large_rows", {{700, 30}}, along(-1, false)).reference(over_axis(fold, 1)).sampling(3);
  cases.add(op + ".large_columns", {{700, 30}}, along(0, false)).reference(over_axis(fold, 0)).sampling(3);
}

/// As add_reduction, with additional rows that reduce single elements.
template <class Reduce>
void add_reduction_of_any(OpCases& cases, const std::string& op, Fold fold, Reduce reduce) {
  add_reduction(cases, op, fold, reduce);
  cases.add(op + ".scalar", {CaseInput(Shape{}).in(0.5, 1)}, [reduce](auto x) { return reduce(x[0]); })
      .reference(over_all(fold));
  cases.add(op + ".extent_one", {{3, 1, 2}}, [reduce](auto x) { return reduce(x[0], 1, false); })
      .reference(over_axis(fold, 1));
}

void add_argmax_cases(OpCases& cases) {
  const auto max_of_rows = [](const auto& x) { return gather(x, argmax(x, -1)); };
  cases.add("argmax.last_axis", {{3, 5}}, [=](auto x) { return max_of_rows(x[0]); })
      .reference(over_axis(max_of, 1))
      .error({{2, 3}}, [](auto x) { argmax(x[0], 2); }, {"[2, 3]", "2"})
      .error({{2, 0}}, [](auto x) { argmax(x[0], 1); }, {"[2, 0]"})
      .error({{0, Index{1} << 32}}, [](auto x) { argmax(x[0], 1); }, {"4294967296"});
  cases.add("argmax.first_axis", {{4, 3}}, [](auto x) { return gather(transpose(x[0], 0, 1), argmax(x[0], 0)); })
      .reference(over_axis(max_of, 0));
  cases
      .add("argmax.middle_axis", {{2, 4, 3}},
           [](auto x) {
             return gather(permute(x[0], {0, 2, 1}), argmax(x[0], -2));
           })
      .reference(over_axis(max_of, 1));
  cases.add("argmax.large", {{700, 30}}, [=](auto x) { return max_of_rows(x[0]); })
      .reference(over_axis(max_of, 1))
      .sampling(3);
}

void add_spread_cases(OpCases& cases) {
  const auto variance = [](auto... given) { return var(given...); };
  const auto deviation = [](auto... given) { return stddev(given...); };
  add_reduction(cases, "var", var_of, variance);
  add_axes(cases, "var", var_of, variance);
  add_reduction(cases, "stddev", stddev_of, deviation);
  add_axes(cases, "stddev", stddev_of, deviation);
  const auto of_all_numbers = [](const std::vector<double>& numbers) {
    const double n = static_cast<double>(numbers.size());
    return var_of(numbers) * (n - 1) / n;
  };
  cases.add("var.of_all_numbers", {{3, 4}}, [](auto x) { return var(x[0], 1, false, 0); })
      .reference(over_axis(of_all_numbers, 1))
      .error({{3, 1}}, [](auto x) { var(x[0], 1); }, {"[3, 1]", "got 1"})
      .error({{3, 2}}, [](auto x) { var(x[0], 1, false, -1); }, {"[3, 2]", "got -1"})
      .error({{0}}, [](auto x) { var(x[0], 0, false, 0); }, {"[0]"});
  cases.add("stddev.of_all_numbers", {{3, 4}},
            [](auto x) {
              return stddev(x[0], {-2, -1}, true, 0);
            })
      .reference(over_all([](const std::vector<double>& numbers) {
        const double n = static_cast<double>(numbers.size());
        return stddev_of(numbers) * std::sqrt((n - 1) / n);
      }))
      .error({{1}}, [](auto x) { stddev(x[0]); }, {"[1]", "got 1"});
}

}  // namespace

void add_reduction_cases(OpCases& cases) {
  const auto total = [](auto... given) { return sum(given...); };
  add_reduction_of_any(cases, "sum", sum_of, total);
  add_axes(cases, "sum", sum_of, total);
  cases.add("sum.every_axis", {{2, 3}}, [](auto x) { return sum(x[0], every_axis, true); }).reference(over_all(sum_of));
  cases.add("sum.of_nothing", {{0, 3}}, [](auto x) { return sum(x[0], 0); }).reference([](auto) {
    return std::vector<double>(3);
  });
  const auto average = [](auto... given) { return mean(given...); };
  add_reduction_of_any(cases, "mean", mean_of, average);
  add_axes(cases, "mean", mean_of, average);
  cases.add("mean.of_one", {{1}}, [](auto x) { return mean(x[0]); })
      .error({{0, 3}}, [](auto x) { mean(x[0]); }, {"[0, 3]"})
      .error({{0, 3}}, [](auto x) { mean(x[0], 0); }, {"[0, 3]"})
      .error({{0, 3}},
             [](auto x) {
               mean(x[0], {0, 1});
             },
             {"[0, 3]"});
  add_reduction_of_any(cases, "max", max_of, [](auto... given) { return max(given...); });
  cases.add("max.of_one", {{1}}, [](auto x) { return max(x[0]); })
      .error({{0, 3}}, [](auto x) { max(x[0]); }, {"[0, 3]"})
      .error({{0, 3}}, [](auto x) { max(x[0], 0); }, {"[0, 3]"});
  add_argmax_cases(cases);
  const auto length = [](auto... given) { return norm(given...); };
  add_reduction_of_any(cases, "norm", norm_of, length);
  add_axes(cases, "norm", norm_of, length);
  add_spread_cases(cases);
}

}  // namespace glossa
