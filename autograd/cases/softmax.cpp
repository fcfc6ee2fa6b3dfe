#include <cmath>

#include "autograd/cases/reference.h"

namespace glossa {

namespace {

/// f(x_j, top, total) for each element of each row; total is the sum of exp(x_j - top).
template <class F>
std::vector<double> of_rows(const Tensor<double>& x, const F& f) {
  std::vector<double> y;
  for (Index row = 0; row < x.rows(); ++row) {
    const std::span<const double> in(x.row(row), x.cols());
    double top = -inf, total = 0;
    for (const double v : in) top = std::max(top, v);
    for (const double v : in) total += std::exp(v - top);
    for (const double v : in) y.push_back(f(v, top, total));
  }
  return y;
}

std::vector<double> softmax_reference(InputNumbers x) {
  return of_rows(x[0], [](double v, double top, double total) { return std::exp(v - top) / total; });
}

std::vector<double> log_softmax_reference(InputNumbers x) {
  return of_rows(x[0], [](double v, double top, double total) { return v - top - std::log(total); });
}

template <class Row>
void add_common(const Row& row) {
  row("matrix", {{3, 5}});
  row("rank_four", {{2, 1, 2, 3}});
  row("vector", {{4}});
  row("one_column", {{3, 1}}).with_zero_gradient();
  row("no_rows", {{0, 4}});
  row("equal_logits", {CaseInput{2, 4}.of(std::vector<double>(8, 1.5))});
  row("large_logits", {CaseInput{2, 3}.of({1e4, 1e4 - 1, 1e4 - 2, -1e4, -1e4 + 1, -1e4 + 2})});
  row("wide", {{3, 67}});
  row("large", {{400, 50}}).sampling(3);
}

}  // namespace

void add_softmax_cases(OpCases& cases) {
  const auto row = cases.rows_of(
      "softmax", [](auto x) { return softmax(x[0]); }, softmax_reference);
  add_common(row);
  row("far_apart", {CaseInput{1, 3}.of({1e4, -1e4, 0})}).with_zero_gradient();
  // The call inserts -inf, because differences cannot change an infinite input.
  static constexpr bool some[] = {false, true, false, true, true, false, false, false, false},
                        second_row[] = {false, true, false, true, true, true}, all[] = {true, true};
  const auto masked = [](std::span<const bool> mask) {
    return [mask](auto x) { return softmax(masked_fill(x[0], mask, -inf)); };
  };
  cases.add("softmax.masked", {{3, 3}}, masked(some));
  cases.add("softmax.masked_row", {{2, 3}}, masked(second_row));
  cases.add("softmax.all_masked", {{2, 2}}, masked(all))
      .reference(by_element(4, [](auto, Index) { return 0.0; }))
      .with_zero_gradient();

  add_common(cases.rows_of(
      "log_softmax", [](auto x) { return log_softmax(x[0]); }, log_softmax_reference));
}

}  // namespace glossa
