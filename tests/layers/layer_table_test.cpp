#include <doctest/doctest.h>

#include <set>

#include "layers/cases/model_case.h"

using namespace glossa;

namespace {

void check_table(const std::vector<LayerCase>& rows) {
  std::set<std::string> names;
  for (const LayerCase& row : rows) {
    CHECK_MESSAGE(names.insert(row.name).second, "two rows are called ", row.name);
    const CaseReport report = check_layer(row);
    CHECK_MESSAGE(report.elements > 0, row.name);
    for (const std::string& failure : report.failures) FAIL_CHECK(failure);
  }
}

}  // namespace

TEST_CASE("every row of the table of layers is proved") { check_table(layer_cases()); }

TEST_CASE("every row of the table of models is proved") { check_table(model_cases()); }
