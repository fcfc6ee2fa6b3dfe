#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "layers/cases/layer_case.h"

using namespace glossa;

namespace {

void check_table(std::vector<LayerCase> rows) {
  std::set<std::string> names;
  for (LayerCase& row : rows) {
    row.max_elements = 4;  // of each tensor; `glossa gradcheck` checks all
    CHECK_MESSAGE(names.insert(row.name).second, "two rows are called ", row.name);
    const CaseReport report = check_layer(row);
    CHECK_MESSAGE(report.elements > 0, row.name);
    for (const std::string& failure : report.failures) FAIL_CHECK(failure);
  }
}

}  // namespace

TEST_CASE("every row of the table of layers passes") { check_table(layer_cases()); }

TEST_CASE("every row of the table of models passes") { check_table(model_cases()); }

TEST_CASE("every layer of the table is listed once, wherever its rows are") {
  const std::vector<std::string> names = subjects(layer_cases());
  CHECK(std::set(names.begin(), names.end()).size() == names.size());
  Index rows = 0;
  for (const std::string& name : names)
    rows += std::ranges::count_if(layer_cases(), [&](const LayerCase& row) { return row.subject() == name; });
  CHECK(rows == std::ssize(layer_cases()));
}

TEST_CASE("check_layer finds a parameter's gradient that is NaN when added to an earlier one") {
  const auto build = [](bool spoil) {
    return [spoil]<class T>(ParameterStore<T>& store) -> CaseFunction<T> {
      Parameter<T>& p = store.declare("p", {2, 3}, [](std::span<double>, const Shape&, RandomStream&) {});
      return [spoil, &p](Context<T>& c, Inputs<T> x) {
        const Tensor<T> in = p.value, y = c.tensor(in.shape);
        kernels::map(y, [&](Index i) { return 2 * in[i]; });
        return mul(x[0], c.record("twice", {c.parameter(p)}, y, [spoil](Backward<T>& back) {
          const Sink<T> to = back.sink(0);
          kernels::accumulate(to.grad, to.add, [&](Index i) { return spoil && to.add ? NAN : 2 * back.dy()[i]; });
        }));
      };
    };
  };
  CHECK(check_layer(layer_case("Twice.right", {{2, 3}}, build(false))).failures.empty());
  const CaseReport report = check_layer(layer_case("Twice.spoiled", {{2, 3}}, build(true)));
  CHECK(std::ranges::any_of(report.failures, [](const std::string& failure) {
    return failure.find("gradient of p is not added to the existing one (off by inf)") != failure.npos;
  }));
}
