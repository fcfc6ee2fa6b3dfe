#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string>

#include "autograd/cases/op_case.h"
#include "tests/support/declared_ops.h"

using namespace glossa;
using namespace glossa::testing;

namespace {

/// The whole of autograd/cases/.
const std::string& cases_text() {
  static const std::string text = [] {
    std::string all;
    for (const auto& entry : std::filesystem::directory_iterator(GLOSSA_SOURCE_DIR "/autograd/cases"))
      all += text_of(entry.path());
    return all;
  }();
  return text;
}

/// True if a row has the op's name and the cases use its argument count.
bool covered(const Overload& overload) {
  return std::ranges::count(op_cases(), overload.op, &OpCase::subject) > 0 && calls(cases_text(), overload);
}

std::vector<std::string> uncovered(const std::string& header) {
  std::vector<std::string> missing;
  for (const Overload& overload : declared_ops(header))
    if (!covered(overload)) missing.push_back(fmt::format("{} of {} arguments", overload.op, overload.max_arguments));
  return missing;
}

}  // namespace

TEST_CASE("every overload of every declared op has a row") {
  const std::string header = ops_header();
  REQUIRE(declared_ops(header).size() > 50);
  for (const std::string& op : uncovered(header))
    FAIL_CHECK(op << " is declared in autograd/ops.h, but no row of autograd/cases/ calls it");
}

TEST_CASE("every row belongs to a declared op") {
  const auto declared = declared_ops(ops_header());
  for (const OpCase& row : op_cases())
    CHECK_MESSAGE(std::ranges::count(declared, row.subject(), &Overload::op) > 0, row.name);
}

TEST_CASE("ops and overloads without a row are found") {
  const std::string header = ops_header();
  CHECK(uncovered(header + "template <class T>\nVariable<T> tanh(const Variable<T>& x, double a = 0);").empty());
  CHECK(uncovered(header + "template <class T>\nVariable<T> tanh(const Variable<T>& x, double a);").front() ==
        "tanh of 2 arguments");
  CHECK(uncovered(header + "\ntemplate <class T> Variable<T> novel(const Variable<T>& x);").front() ==
        "novel of 1 arguments");
  CHECK(uncovered(header + "template <class T>\nstd::vector<Variable<T>> fresh(\n    const Variable<T>& x);").front() ==
        "fresh of 1 arguments");
  CHECK(uncovered(header + "template <class T>\nstd::span<const int> fresh(const Variable<T>& x);").front() ==
        "fresh of 1 arguments");
  CHECK(uncovered(header + "// template <class T> Variable<T> only_a_comment(const Variable<T>& x);").empty());
  CHECK(uncovered(header + "template <class T>\nstruct Novelty {};").empty());
}
