#include <algorithm>
#include <array>
#include <functional>

#include "autograd/cases/reference.h"

namespace glossa {

namespace {

/// Reference for f over two operands that broadcast: visits every index of the result.
template <class F>
Reference broadcast_reference(F f) {
  return [f](InputNumbers x) {
    const Tensor<double> a = x[0], b = x[1];
    std::array<Index, 4> extent{1, 1, 1, 1};
    const auto n = extents4(a.shape), m = extents4(b.shape);
    for (int axis = 0; axis < 4; ++axis) extent[axis] = n[axis] == 1 ? m[axis] : n[axis];
    const auto at = [](const Tensor<double>& t, const std::array<Index, 4>& of, std::array<Index, 4> i) {
      Index flat = 0;
      for (int axis = 0; axis < 4; ++axis) flat = flat * of[axis] + (of[axis] == 1 ? 0 : i[axis]);
      return t[flat];
    };
    std::vector<double> y;
    for (Index i = 0; i < extent[0]; ++i)
      for (Index j = 0; j < extent[1]; ++j)
        for (Index k = 0; k < extent[2]; ++k)
          for (Index l = 0; l < extent[3]; ++l) y.push_back(f(at(a, n, {i, j, k, l}), at(b, m, {i, j, k, l})));
    return y;
  };
}

/// Adds a row for every way in which two operands can broadcast. The second operand is drawn from [low, high).
template <class F, class Call>
void add_binary(OpCases& cases, const std::string& op, F f, Call call, double low = -2, double high = 2) {
  const auto row = [&](const char* what, Shape a, Shape b) -> OpCase& {
    return cases.add(op + "." + what, {CaseInput(a), CaseInput(b).in(low, high)}, call)
        .reference(broadcast_reference(f));
  };
  row("same_shape", {2, 3}, {2, 3})
      .error({{2, 3}, {2, 4}}, call, {"[2, 3]", "[2, 4]"})
      .error({{2, 3}, {3, 3}}, call, {"[2, 3]", "[3, 3]"});
  row("last_axis", {2, 3, 4}, {4});
  row("one_one_last", {2, 3, 4}, {1, 1, 4});
  row("per_batch", {2, 3, 4}, {2, 1, 1});
  row("per_row", {2, 3, 4}, {2, 3, 1});
  row("left_broadcast", {4}, {2, 3, 4});
  row("both_broadcast", {3, 1, 2}, {4, 1});
  row("rank_four", {2, 1, 3, 2}, {2, 1, 2});
  row("scalar", {2, 3}, {});
  row("two_scalars", {}, {});
  row("size_one", {1, 1}, {1});
  row("size_zero", {2, 0, 3}, {3});
  row("size_zero_broadcast", {0, 3}, {1, 3});
  row("large", {2, 7000}, {2, 7000}).sampling(3);
  row("large_broadcast", {700, 40}, {40}).sampling(3);
}

}  // namespace

void add_arithmetic_cases(OpCases& cases) {
  add_binary(cases, "add", std::plus(), [](auto x) { return add(x[0], x[1]); });
  add_binary(cases, "sub", std::minus(), [](auto x) { return sub(x[0], x[1]); });
  add_binary(cases, "mul", std::multiplies(), [](auto x) { return mul(x[0], x[1]); });
  add_binary(
      cases, "div", std::divides(), [](auto x) { return div(x[0], x[1]); }, 0.5, 2);
  add_binary(
      cases, "minimum", [](double a, double b) { return std::min(a, b); }, [](auto x) { return minimum(x[0], x[1]); });
  add_binary(
      cases, "maximum", [](double a, double b) { return std::max(a, b); }, [](auto x) { return maximum(x[0], x[1]); });

  cases.add("neg.plain", {{2, 3}}, [](auto x) { return neg(x[0]); }).reference(elementwise([](double x) {
    return -x;
  }));
  cases.add("scale.plain", {{2, 3}}, [](auto x) { return scale(x[0], 1.7); }).reference(elementwise([](double x) {
    return 1.7 * x;
  }));
  cases.add("scale.by_zero", {{2, 3}}, [](auto x) { return scale(x[0], 0.0); }).with_zero_gradient();
  cases.add("scale.size_zero", {{0, 3}}, [](auto x) { return scale(x[0], 2.0); });
}

}  // namespace glossa
