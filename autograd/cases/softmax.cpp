#include <cmath>

#include "autograd/cases/reference.h"

namespace glossa {

namespace {

std::vector<double> softmax_reference(InputNumbers x) {
  std::vector<double> y;
  for (Index row = 0; row < x[0].rows(); ++row) {
    const std::span<const double> in(x[0].row(row), x[0].cols());
    double top = -inf, total = 0;
    for (const double v : in) top = std::max(top, v);
    for (const double v : in) total += top == -inf ? 0 : std::exp(v - top);
    for (const double v : in) y.push_back(total == 0 ? 0 : std::exp(v - top) / total);
  }
  return y;
}

std::vector<double> log_softmax_reference(InputNumbers x) {
  std::vector<double> y;
  for (Index row = 0; row < x[0].rows(); ++row) {
    const std::span<const double> in(x[0].row(row), x[0].cols());
    double top = -inf, total = 0;
    for (const double v : in) top = std::max(top, v);
    for (const double v : in) total += std::exp(v - top);
    for (const double v : in) y.push_back(v - top - std::log(total));
  }
  return y;
}

template <class Call>
void add_common(OpCases& cases, const std::string& op, const Reference& reference, Call call) {
  const auto row = [&](const char* what, CaseInput input) -> OpCase& {
    return cases.add(op + "." + what, {std::move(input)}, call).reference(reference);
  };
  row("matrix", {3, 5});
  row("rank_four", {2, 1, 2, 3});
  row("vector", {4});
  row("one_column", {3, 1}).with_zero_gradient();
  row("no_rows", {0, 4});
  row("equal_logits", CaseInput{2, 4}.of(std::vector<double>(8, 1.5)));
  row("large_logits", CaseInput{2, 3}.of({1e4, 1e4 - 1, 1e4 - 2, -1e4, -1e4 + 1, -1e4 + 2}));
  row("wide", {3, 67});
  row("large", {400, 50}).sampling(3);
}

}  // namespace

void add_softmax_cases(OpCases& cases) {
  const auto call = [](auto x) { return softmax(x[0]); };
  add_common(cases, "softmax", softmax_reference, call);
  cases.add("softmax.far_apart", {CaseInput{1, 3}.of({1e4, -1e4, 0})}, call)
      .reference(softmax_reference)
      .with_zero_gradient();
  // The call inserts -inf, because differences cannot change an infinite input.
  const auto masked = [](auto x) {
    static constexpr bool mask[] = {false, true, false, true, true, false, false, false, false};
    return softmax(masked_fill(x[0], mask, -inf));
  };
  cases.add("softmax.masked", {{3, 3}}, masked);
  const auto masked_row = [](auto x) {
    static constexpr bool mask[] = {false, true, false, true, true, true};
    return softmax(masked_fill(x[0], mask, -inf));
  };
  cases.add("softmax.masked_row", {{2, 3}}, masked_row);
  cases
      .add("softmax.all_masked", {{2, 2}},
           [](auto x) {
             static constexpr bool mask[] = {true, true};
             return softmax(masked_fill(x[0], mask, -inf));
           })
      .reference([](auto) { return std::vector<double>(4); })
      .with_zero_gradient();

  add_common(cases, "log_softmax", log_softmax_reference, [](auto x) { return log_softmax(x[0]); });
}

}  // namespace glossa
