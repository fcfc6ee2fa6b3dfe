// Derivatives in full: the unit tests of layers and models compare only 4 elements of each tensor.
#include <doctest/doctest.h>

#include "autograd/processor.h"
#include "layers/cases/layer_case.h"
#include "tests/integration/tiny_run.h"

using namespace glossa::testing;

TEST_CASE("gradcheck checks every row, and every element of every layer and model") {
  const Outcome report = succeeded(glossa_program({"gradcheck"}));
  const Strings lines = lines_of(report.out);
  const std::size_t rows = glossa::subjects(glossa::op_cases()).size() +
                           glossa::subjects(glossa::layer_cases()).size() + glossa::model_cases().size();
  CHECK_EQ(lines.size(), rows + 2);
  CHECK_NE(lines.front().find(" bf16 "), std::string::npos);
  CHECK_NE(lines.back().find("all passed"), std::string::npos);
  MESSAGE(lines.back());
  for (const auto* table : {&glossa::layer_cases(), &glossa::model_cases()})
    for (const glossa::LayerCase& row : *table) CHECK_MESSAGE(row.max_elements == 0, row.name);
}

TEST_CASE("gradcheck checks products in bf16, with every kind of kernel") {
  using glossa::InstructionSet;
  for (const InstructionSet set : {InstructionSet::plain, InstructionSet::avx512bf16, InstructionSet::amx}) {
    if (!glossa::processor_has(set)) continue;
    const std::string isa = "GLOSSA_ISA=" + std::string(name(set));
    CAPTURE(isa);
    for (const auto& [only, has_products] : {std::pair("linear", true), {"FeedForward", true}, {"softmax", false}}) {
      const Outcome report = succeeded(
          run_program({.arguments = {"/usr/bin/env", isa, tested_program(), "gradcheck", "--json", "--only", only},
                       .input = {},
                       .folder = {}}));
      for (const std::string& line : lines_of(report.out)) {
        CAPTURE(line);
        auto object = json_object(line);
        CHECK_EQ(object["passed"], "true");
        CHECK_EQ(object.contains("bf16_error"), has_products);
        if (has_products) CHECK_LE(std::stod(object["bf16_error"]), glossa::bf16_limit);
      }
    }
  }
}
