#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <set>

#include "autograd/cases/check_case.h"
#include "autograd/sanitizer.h"

using namespace glossa;

TEST_CASE("every row of the table of gradient checks passes, with one report per op") {
  std::set<std::string> ops;
  double worst = 0;
  Index elements = 0;
  for (const std::string& op : subjects(op_cases())) {
    const CaseReport report = check_subject(op_cases(), op, check_case);
    CHECK_MESSAGE(report.failures.empty(), fmt::format("{}", fmt::join(report.failures, "\n")));
    CHECK_MESSAGE(report.skipped == 0, report.name);
    CHECK_MESSAGE(ops.insert(report.name).second, report.name);
    worst = std::max(worst, report.worst_error);
    elements += report.elements;
  }
  MESSAGE(
      fmt::format("{} ops, {} rows, {} gradients, worst error {:.1e}", ops.size(), op_cases().size(), elements, worst));
}

TEST_CASE("rows have unique names with a dot") {
  std::set<std::string> names;
  for (const OpCase& row : op_cases()) {
    CHECK_MESSAGE(names.insert(row.name).second, row.name);
    CHECK_MESSAGE(row.name.find('.') != std::string::npos, row.name);
  }
}

TEST_CASE("check_case finds the faults of an op") {
  const auto twice = [](auto x) { return scale(x[0], 2.0); };
  CHECK(check_case(op_case("scale.right", {{2, 3}}, twice)).failures.empty());

  SUBCASE("a value that differs from the reference") {
    const auto reference = [](std::span<const Tensor<double>> x) { return std::vector<double>(x[0].size(), 1.0); };
    CHECK(check_case(op_case("scale.value", {{2, 3}}, twice).reference(reference)).failures.size() == 1);
  }
  SUBCASE("a product that is wrong in bf16") {
    const auto coarse = [](double error, auto x) {
      const auto y = matmul(x[0], x[1]);
      return x[0].context().precision() == Precision::bf16 ? scale(y, 1 + error) : y;
    };
    const auto row = [&](double error) {
      return op_case("matmul.coarse", {{3, 4}, {4, 2}}, [=](auto x) { return coarse(error, x); });
    };
    const CaseReport fine = check_case(row(0));
    CHECK(fine.failures.empty());
    CHECK(fine.bf16_error.value() > 0x1p-12);
    CHECK(check_case(row(0.05)).failures.size() == 3);
    CHECK_FALSE(check_case(op_case("scale.no_product", {{2, 3}}, twice)).bf16_error);

    const auto beyond_a_kink = op_case("matmul.kink", {{3, 4}, {4, 2}}, [&](auto x) {
      x[0].context().add_branches(1, [&](Index) { return x[0].context().precision() == Precision::bf16; });
      return coarse(0.05, x);
    });
    CHECK(check_case(beyond_a_kink).failures.size() == 1);  // the value
  }
  SUBCASE("an element without a difference") {
    const auto kinked = op_case("abs.kink", {CaseInput{2}.of({0, 1})}, [](auto x) { return abs(x[0]); });
    CHECK(check_case(kinked).failures.size() == 1);
  }
  SUBCASE("a gradient that is NaN when added to an earlier one") {
    const auto spoiled = [](auto x) {
      const auto in = x[0].value();
      const auto y = x[0].context().tensor(in.shape);
      kernels::map(y, [&](Index i) { return 2 * in[i]; });
      return x[0].context().record("scale", {x[0]}, y, [](auto& back) {
        const auto to = back.sink(0);
        kernels::map(to.grad, [&](Index i) { return to.add ? NAN : 2 * back.dy()[i]; });
      });
    };
    const CaseReport report = check_case(op_case("scale.spoiled", {{2, 3}}, spoiled));
    CHECK(std::isinf(report.worst_error));
    CHECK(std::ranges::any_of(report.failures, [](const std::string& failure) {
      return failure.find("is not added to the existing one (off by inf)") != failure.npos;
    }));
  }
  SUBCASE("a zero gradient that should not be zero") {
    const auto cut = [](auto x) { return scale(stop_gradient(x[0]), 2.0); };
    CHECK_FALSE(check_case(op_case("scale.cut", {{2, 3}}, cut)).failures.empty());
  }
  SUBCASE("a nonzero gradient that should be zero") {
    CHECK_FALSE(check_case(op_case("scale.not_zero", {{2, 3}}, twice).with_zero_gradient()).failures.empty());
  }
  SUBCASE("a gradient that depends on which other inputs need one") {
    const auto lost = [](auto x) {
      const auto y = mul(x[0], x[1]);
      return x[1].requires_grad() ? y : stop_gradient(y);
    };
    const CaseReport report = check_case(op_case("mul.lost", {{2, 3}, {2, 3}}, lost));
    REQUIRE(report.failures.size() == 1);
    CHECK(report.failures[0].find("different gradient of input 0 when only inputs 0b1 need one") != std::string::npos);
  }
  SUBCASE("an error that is not thrown, and one whose message says too little") {
    const auto silent = [](Inputs<double> x) { scale(x[0], 1.0); };
    CHECK(check_case(op_case("scale.silent", {{2}}, twice).error({{2}}, silent, {})).failures.size() == 2);
    const auto unequal = [](Inputs<double> x) { add(x[0], x[1]); };
    CHECK(check_case(op_case("add.terse", {{2}}, twice).error({{2}, {3}}, unequal, {"[4]"})).failures.size() == 2);
  }
#if !GLOSSA_SANITIZES(address)  // its malloc is not counted
  SUBCASE("a heap allocation") {
    const auto greedy = [](auto x) { return scale(x[0], std::vector<double>(100, 2.0).back()); };
    CHECK(check_case(op_case("scale.greedy", {{2, 3}}, greedy)).failures.size() == 2);
  }
#endif
  SUBCASE("a value that differs between two calls") {
    auto calls = std::make_shared<int>(0);
    const auto unsteady = [calls](auto x) { return scale(x[0], 2.0 + 1e-15 * ++*calls); };
    CHECK_FALSE(check_case(op_case("scale.unsteady", {{2, 3}}, unsteady)).failures.empty());
  }
}
