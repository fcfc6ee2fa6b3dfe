#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <string>

#include "autograd/cases/op_case.h"

using namespace glossa;

namespace {

/// An overload: its name, and how many arguments it takes.
struct Overload {
  std::string op;
  Index least, most;
};

/// What stands between brackets that open before `at`, cut at its own commas.
Index count_arguments(const std::string& text, std::size_t at) {
  Index depth = 1, commas = 0;
  for (; at < text.size() && depth > 0; ++at) {
    depth += std::ranges::count("([{", text[at]) - std::ranges::count(")]}", text[at]);
    commas += depth == 1 && text[at] == ',';
  }
  return commas + 1;
}

/// Functions templated on the scalar.
std::vector<Overload> declared_ops(const std::string& header) {
  const std::string code = std::regex_replace(header, std::regex("//[^\n]*"), "");
  const std::regex declaration(R"(template\s*<class T>\s*[\w:<>]+\s+(\w+)\s*\(([^)]*))");
  std::vector<Overload> ops;
  for (std::sregex_iterator match(code.begin(), code.end(), declaration), end; match != end; ++match) {
    const std::string arguments = (*match)[2];
    const Index most = count_arguments(arguments, 0);
    ops.push_back({(*match)[1], most - std::ranges::count(arguments, '='), most});
  }
  return ops;
}

std::string text_of(const std::filesystem::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// All of autograd/cases/.
const std::string& cases_text() {
  static const std::string text = [] {
    std::string all;
    for (const auto& entry : std::filesystem::directory_iterator(GLOSSA_SOURCE_DIR "/autograd/cases"))
      all += text_of(entry.path());
    return all;
  }();
  return text;
}

/// A row has the op's name, and the cases call it with as many arguments as the overload takes.
bool covered(const Overload& overload) {
  if (std::ranges::count(op_cases(), overload.op, &OpCase::op) == 0) return false;
  const std::string &text = cases_text(), call = overload.op + '(';
  const auto part_of_name = [](unsigned char c) { return std::isalnum(c) || c == '_' || c == ':' || c == '.'; };
  for (std::size_t at = text.find(call); at != text.npos; at = text.find(call, at + 1)) {
    if (at > 0 && part_of_name(text[at - 1])) continue;
    const Index arguments = count_arguments(text, at + call.size());
    if (overload.least <= arguments && arguments <= overload.most) return true;
  }
  return false;
}

std::vector<std::string> uncovered(const std::string& header) {
  std::vector<std::string> missing;
  for (const Overload& overload : declared_ops(header))
    if (!covered(overload)) missing.push_back(fmt::format("{} of {} arguments", overload.op, overload.most));
  return missing;
}

std::string ops_header() { return text_of(GLOSSA_SOURCE_DIR "/autograd/ops.h"); }

}  // namespace

TEST_CASE("every overload of every declared op has a row") {
  const std::string header = ops_header();
  REQUIRE(declared_ops(header).size() > 50);
  for (const std::string& op : uncovered(header))
    FAIL_CHECK(op << " is declared in autograd/ops.h, and no row of autograd/cases/ calls it");
}

TEST_CASE("every row is of a declared op") {
  const auto declared = declared_ops(ops_header());
  for (const OpCase& row : op_cases())
    CHECK_MESSAGE(std::ranges::count(declared, row.op(), &Overload::op) > 0, row.name);
}

TEST_CASE("an op without a row is found, and an overload, too") {
  const std::string header = ops_header();
  CHECK(uncovered(header + "template <class T>\nVariable<T> tanh(const Variable<T>& x, double a = 0);").empty());
  CHECK(uncovered(header + "template <class T>\nVariable<T> tanh(const Variable<T>& x, double a);").front() ==
        "tanh of 2 arguments");
  CHECK(uncovered(header + "\ntemplate <class T> Variable<T> novel(const Variable<T>& x);").front() ==
        "novel of 1 arguments");
  CHECK(uncovered(header + "template <class T>\nstd::vector<Variable<T>> fresh(\n    const Variable<T>& x);").front() ==
        "fresh of 1 arguments");
  CHECK(uncovered(header + "// template <class T> Variable<T> only_a_comment(const Variable<T>& x);").empty());
  CHECK(uncovered(header + "template <class T>\nstruct Novelty {};").empty());
}
