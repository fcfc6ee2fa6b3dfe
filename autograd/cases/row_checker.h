#pragma once

#include "autograd/cases/check_case.h"
#include "autograd/cases/sample.h"
#include "autograd/grad_check.h"
#include "autograd/kernels/bf16/kind.h"
#include "autograd/kernels/gemm.h"
#include "autograd/kernels/product_log.h"
#include "autograd/worse.h"
#include "base/heap.h"

namespace glossa {

/// Common base of the checks of ops and layers. A `Row` is a SampleCase, one row of a table.
template <class Row>
class RowChecker {
 public:
  explicit RowChecker(const Row& row) : row_(row), report_{.name = row.name}, sample_(row) {}

 protected:
  /// Calls a check of this class or of the derived class `Checker`. If it throws an Error, records a failure.
  template <class Checker>
  void attempt(void (Checker::*part)()) {
    try {
      (static_cast<Checker*>(this)->*part)();
    } catch (const Error& error) {
      expect(false, "threw {}", error.what());
    }
  }

  template <class... Args>
  void expect(bool ok, fmt::format_string<Args...> format, Args&&... args) {
    if (!ok) report_.failures.push_back(row_.name + ": " + fmt::format(format, std::forward<Args>(args)...));
  }

  /// Compares the function's gradients with differences. Inputs with true in `requires_grad` need a gradient; if it is
  /// empty, all do.
  GradCheckResult compare_with_differences(const GradCheckFunction& function, const std::vector<bool>& requires_grad,
                                           double excess_limit) {
    const GradCheckResult result = grad_check(
        function, sample_.inputs(), sample_.store(),
        {.limit = row_.limit, .floor = row_.floor, .requires_grad = requires_grad, .max_elements = row_.max_elements});
    report_.add(result);
    expect(result.verdict() != Verdict::wrong && result.undecided == 0 && result.skipped == 0, "{}", result.describe());
    expect(result.excess <= excess_limit, "a gradient exceeds the estimated error of differences by {:.2e}",
           result.excess);
    return result;
  }

  /// Largest difference, divided by the larger of `min_scale` and the largest expected magnitude.
  template <class A, class B>
  static double distance(const std::vector<A>& got, const std::vector<B>& expected, double min_scale) {
    double worst = 0, largest = min_scale;
    for (std::size_t i = 0; i < expected.size(); ++i) {
      // Equal infinities, and NaN where expected, count as equal.
      if (got[i] == expected[i] || (std::isnan(got[i]) && std::isnan(expected[i]))) continue;
      worst = worse(worst, std::abs(got[i] - expected[i]));
      largest = std::max<double>(largest, std::abs(expected[i]));
    }
    return worst / largest;
  }

  void check_untaped() {
    const auto taped = sample_.run();
    const Variable<double> y = sample_.forward(false);
    expect(!y.requires_grad() && sample_.context().tape().size() == 0, "recorded on the tape with recording off");
    expect(same_bits(numbers_of(y.value()), taped.value), "different values without a tape");
  }

  void expect_added(std::size_t i, const std::vector<double>& got, const std::vector<double>& expected) {
    const double error = distance(got, expected, 1);
    expect(error <= 1e-13, "gradient of {} is not added to the existing one (off by {:.2e})", sample_.name(i), error);
  }

  /// Expects `got` to have the bits of `expected`; `how` describes the computation of `got`.
  void expect_same(const auto& got, const auto& expected, const std::string& how) {
    expect(same_bits(got.value, expected.value), "different values {}", how);
    for (std::size_t i = 0; i < expected.grads.size(); ++i)
      expect(same_bits(got.grads[i], expected.grads[i]), "different gradient of {} {}", sample_.name(i), how);
  }

  template <class T, Precision precision = Precision::full>
  void check_thread_counts() {
    Sample<T> sample(row_, precision);
    const auto with_one = sample.run();
    for (const int team : {2, 4, 8}) {
      set_threads(team);
      expect_same(sample.run(), with_one, fmt::format("with {} threads", team));
    }
    set_threads(1);
  }

  /// Finds allocations only in test programs, because `glossa` itself does not count them.
  template <class T, Precision precision = Precision::full>
  void check_heap() {
    Sample<T> sample(row_, precision);
    std::size_t asked = 0;
    for (int warm_up = 0; warm_up < 3; ++warm_up) {
      const std::size_t before = heap_allocations();
      sample.step();
      asked = heap_allocations() - before;
    }
    expect(asked == 0, "{} heap allocations in a {} step after warm-up", asked, sizeof(T) == 4 ? "float" : "double");
  }

  void check_float() {
    const auto expected = sample_.run();
    const double error = compare(Sample<float>(row_).run(), expected, float_limit,
                                 fmt::format("float ({})", kernels::name(kernels::gemm_backend())));
    float_error_ = worse(float_error_, error);
  }

  /// True if a step computes matrix products.
  bool has_products() {
    const kernels::ProductLog log;
    sample_.step();
    return !log.products.empty();
  }

  /// Checks a row with matrix products in bf16. Compares the value with double and, if all kinks took the same
  /// branches, also the gradients. Checks that the bits stay the same with several threads and without reuse of memory.
  void check_bf16(double limit) {
    if (!has_products()) return;
    Sample<float> sample(row_, Precision::bf16);
    sample.context().trace_branches(true);
    sample_.context().trace_branches(true);
    const auto got = sample.run();
    auto expected = sample_.run();
    if (sample.context().branches() != sample_.context().branches()) expected.grads.clear();
    report_.bf16_error = compare(got, expected, limit, fmt::format("bf16 ({})", kernels::bf16::kind().name));

    sample.context().set_reuse(false);
    expect_same(sample.run(), got, "in bf16 without reuse of memory");
    check_thread_counts<float, Precision::bf16>();
    check_heap<float, Precision::bf16>();
  }

  const Row& row_;
  CaseReport report_;
  Sample<double> sample_;
  double float_error_ = 0;  // largest error found by check_float

 private:
  /// Compares an outcome's value and gradients with those in double. Returns the largest error, relative to the
  /// tensor's maximum.
  double compare(const auto& got, const auto& expected, double limit, const std::string& form) {
    double worst = 0;
    const auto compare_tensors = [&](const std::vector<float>& a, const std::vector<double>& b,
                                     const std::string& what) {
      const double error = distance(a, b, 0.01);
      expect(error <= limit, "{} in {} is off by {:.2e} of its maximum", what, form, error);
      worst = worse(worst, error);
    };
    compare_tensors(got.value, expected.value, "the value");
    for (std::size_t i = 0; i < expected.grads.size(); ++i)
      compare_tensors(got.grads[i], expected.grads[i], fmt::format("the gradient of {}", sample_.name(i)));
    return worst;
  }
};

}  // namespace glossa
