#include <cmath>

#include "autograd/cases/reference.h"

namespace glossa {

namespace {

/// Adds rows for an elementwise function, with numbers from its domain.
template <class Call>
void add_unary(OpCases& cases, const std::string& op, double low, double high, std::vector<double> kinks,
               double (*f)(double), Call call) {
  const auto row = [&](const char* what, CaseInput input) -> OpCase& {
    return cases.add(op + "." + what, {std::move(input).in(low, high).away_from(kinks)}, call)
        .reference(elementwise(f));
  };
  row("matrix", {3, 7});
  row("rank_four", {2, 1, 2, 3});
  row("scalar", {});
  row("size_zero", {2, 0});
  row("large", {3, 6001}).sampling(4);
}

}  // namespace

void add_pointwise_cases(OpCases& cases) {
  add_unary(cases, "exp", -2, 2, {}, std::exp, [](auto x) { return exp(x[0]); });
  cases.add("exp.underflow", {CaseInput{2}.of({-800, -1000})}, [](auto x) { return exp(x[0]); }).with_zero_gradient();
  add_unary(cases, "log", 0.5, 4, {}, std::log, [](auto x) { return log(x[0]); });
  add_unary(cases, "sqrt", 0.5, 4, {}, std::sqrt, [](auto x) { return sqrt(x[0]); });
  add_unary(
      cases, "square", -2, 2, {}, [](double x) { return x * x; }, [](auto x) { return square(x[0]); });
  add_unary(cases, "abs", -2, 2, {0}, std::fabs, [](auto x) { return abs(x[0]); });
  cases.add("abs.beside_kink", {CaseInput{4}.of({0x1p-10, -0x1p-12, 0x1p-11, -0x1p-9})},
            [](auto x) { return abs(x[0]); });

  add_unary(
      cases, "pow", 0.5, 2, {}, [](double x) { return std::pow(x, 2.5); }, [](auto x) { return pow(x[0], 2.5); });
  cases.add("pow.negative_base", {CaseInput{2, 3}.in(-2, -0.5)}, [](auto x) { return pow(x[0], 3.0); })
      .reference(elementwise([](double x) { return x * x * x; }));
  cases.add("pow.negative_exponent", {CaseInput{2, 3}.in(0.5, 2)}, [](auto x) { return pow(x[0], -1.0); })
      .reference(elementwise([](double x) { return 1 / x; }));
  cases.add("pow.exponent_zero", {CaseInput{3}.of({-1, 0, 2})}, [](auto x) { return pow(x[0], 0.0); })
      .reference(elementwise([](double) { return 1.0; }))
      .with_zero_gradient();
  cases.add("pow.exponent_one_at_zero", {CaseInput{3}.of({-1, 0, 2})}, [](auto x) { return pow(x[0], 1.0); })
      .reference(elementwise([](double x) { return x; }));

  add_unary(
      cases, "clamp", -2, 2, {-0.75, 1}, [](double x) { return std::fmin(std::fmax(x, -0.75), 1); },
      [](auto x) { return clamp(x[0], -0.75, 1.0); });
  cases.add("clamp.outside", {CaseInput{2, 3}.in(2, 3)}, [](auto x) { return clamp(x[0], -1.0, 1.0); })
      .with_zero_gradient()
      .error({{2}}, [](auto x) { clamp(x[0], 1.0, -1.0); }, {"1", "-1"});
}

}  // namespace glossa
