// Derivatives in full: the unit tests of layers and models compare only 4 elements of each tensor.
#include <doctest/doctest.h>

#include "layers/cases/model_case.h"
#include "tests/integration/tiny_run.h"

using namespace glossa::testing;

TEST_CASE("gradcheck checks every row, and every element of every layer and model") {
  const Outcome report = succeeded(glossa_program({"gradcheck"}));
  const Strings lines = lines_of(report.out);
  const std::size_t rows = glossa::op_names().size() + glossa::layer_names().size() + glossa::model_cases().size();
  CHECK_EQ(lines.size(), rows + 2);
  CHECK_NE(lines.back().find("all passed"), std::string::npos);
  MESSAGE(lines.back());
  for (const auto* table : {&glossa::layer_cases(), &glossa::model_cases()})
    for (const glossa::LayerCase& row : *table) CHECK_MESSAGE(row.max_elements == 0, row.name);
}
