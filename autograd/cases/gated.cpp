#include <cmath>

#include "autograd/cases/op_case.h"

namespace glossa {

namespace {

/// gate(a) b, element by element, for rows (a, b) of x[0].
Reference gated_reference(double (*gate)(double)) {
  return [gate](InputNumbers x) {
    const Index half = x[0].cols() / 2;
    std::vector<double> y;
    for (Index row = 0; row < x[0].rows(); ++row)
      for (Index j = 0; j < half; ++j) y.push_back(gate(x[0].row(row)[j]) * x[0].row(row)[half + j]);
    return y;
  };
}

/// Adds a gated unit's rows. The op is `unit(x, use)`.
template <class Unit>
void add_gate(OpCases& cases, const std::string& op, double (*gate)(double), Unit unit) {
  const auto row = cases.rows_of(
      op, [unit](auto x) { return unit(x[0], Use::any); }, gated_reference(gate));
  row("matrix", {CaseInput{4, 6}.in(-3, 3)}).error({{4, 5}}, {"[..., 2 H]", "[4, 5]"}).error({{}}, {"[]"});
  row("rank_three", {{2, 2, 4}});
  row("vector", {{6}});
  // Gates at 0 and in both tails, where naive formulas overflow or cancel. Each row has four gates, then their factors.
  row("tails", {CaseInput{2, 8}.of({-1000, -90, -30, -8, 2, -3, 1.5, -0.5,  //
                                    0, 8, 90, 1000, -1, 0, 0.25, 3})});
  row("size_zero", {{0, 4}});
  row("width_zero", {{3, 0}});
  row("large", {{9, 4014}}).sampling(6);
  // In bf16, the result is rounded row by row.
  cases
      .add(op + ".before_product", {{2, 1300}, {3, 650}},
           [unit](auto x) { return linear(unit(x[0], Use::products), x[1]); })
      .sampling(6);
}

}  // namespace

void add_gated_cases(OpCases& cases) {
  add_gate(
      cases, "swiglu", [](double x) { return x / (1 + std::exp(-x)); },
      [](auto& x, Use use) { return swiglu(x, use); });
  add_gate(
      cases, "geglu", [](double x) { return 0.5 * x * std::erfc(-x / std::sqrt(2.0)); },
      [](auto& x, Use use) { return geglu(x, use); });
}

}  // namespace glossa
