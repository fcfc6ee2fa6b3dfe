#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <string>

#include "autograd/cases/op_case.h"

using namespace glossa;

namespace {

/// How many functions templated on the scalar are declared under each name.
std::map<std::string, int> declared_ops(const std::string& header) {
  const std::string code = std::regex_replace(header, std::regex("//[^\n]*"), "");
  const std::regex declaration(R"(template\s*<class T>\s*[\w:<>]+\s+(\w+)\s*\()");
  std::map<std::string, int> ops;
  for (std::sregex_iterator match(code.begin(), code.end(), declaration), end; match != end; ++match)
    ++ops[(*match)[1]];
  return ops;
}

/// Declared ops with fewer rows than overloads.
std::vector<std::string> uncovered(const std::string& header) {
  std::vector<std::string> missing;
  for (const auto& [op, overloads] : declared_ops(header))
    if (std::ranges::count(op_cases(), op, &OpCase::op) < overloads) missing.push_back(op);
  return missing;
}

std::string ops_header() {
  std::ifstream file(GLOSSA_SOURCE_DIR "/autograd/ops.h");
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

TEST_CASE("every declared op has a row") {
  const std::string header = ops_header();
  REQUIRE(declared_ops(header).size() > 40);
  for (const std::string& op : uncovered(header))
    FAIL_CHECK(
        op << " is declared in autograd/ops.h, and has no row (or fewer rows than overloads) in autograd/cases/");
}

TEST_CASE("every row is of a declared op") {
  const auto declared = declared_ops(ops_header());
  for (const OpCase& row : op_cases()) CHECK_MESSAGE(declared.contains(row.op()), row.name);
}

TEST_CASE("an op without a row is found") {
  const std::string header = ops_header();
  CHECK(uncovered(header + "\ntemplate <class T> Variable<T> novel(const Variable<T>& x);").front() == "novel");
  CHECK(uncovered(header + "template <class T>\nstd::vector<Variable<T>> fresh(\n    const Variable<T>& x);").front() ==
        "fresh");
  CHECK(uncovered(header + "// template <class T> Variable<T> only_a_comment(const Variable<T>& x);").empty());
  CHECK(uncovered(header + "template <class T>\nstruct Novelty {};").empty());
}
