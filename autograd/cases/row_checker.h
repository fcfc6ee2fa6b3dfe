#pragma once

#include "autograd/cases/check_case.h"
#include "autograd/cases/sample.h"
#include "autograd/grad_check.h"
#include "autograd/kernels/gemm.h"
#include "autograd/measure/heap_counter.h"
#include "autograd/worse.h"

namespace glossa {

/// Common base of the checks of ops and layers. A `Row` is a test case, one row of a table. A `SampleOf<T>` runs a row
/// with numbers of type T: `step` runs it forward and backward, and `run` also returns the value and the gradients.
/// `name(i)` names the input or parameter that gradient i belongs to.
template <template <class> class SampleOf, class Row>
class RowChecker {
 public:
  explicit RowChecker(const Row& row) : row_(row), report_{.name = row.name}, sample_(row) {}

 protected:
  /// Calls a check of this class or of the derived class `Checker`; an Error counts as a failure.
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

  void expect_right(const GradCheckResult& result, double excess_limit) {
    report_.add(result);
    expect(result.verdict() != Verdict::wrong && result.undecided == 0 && result.skipped == 0, "{}", result.describe());
    expect(result.excess <= excess_limit, "a gradient exceeds the estimated error of differences by {:.2e}",
           result.excess);
  }

  /// Largest difference, divided by the larger of `min_scale` and the largest expected magnitude.
  template <class A, class B>
  static double distance(const std::vector<A>& got, const std::vector<B>& expected, double min_scale) {
    double worst = 0, largest = min_scale;
    for (std::size_t i = 0; i < expected.size(); ++i) {
      // Also skips infinities and NaN where they are expected.
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

  template <class T>
  void check_thread_counts() {
    SampleOf<T> sample(row_);
    const auto with_one = sample.run();
    for (const int team : {2, 4}) {
      set_threads(team);
      const auto with_team = sample.run();
      expect(same_bits(with_team.value, with_one.value), "different values with {} threads", team);
      for (std::size_t i = 0; i < with_one.grads.size(); ++i)
        expect(same_bits(with_team.grads[i], with_one.grads[i]), "different gradient of {} with {} threads",
               sample.name(i), team);
    }
    set_threads(1);
  }

  template <class T>
  void check_heap() {
    SampleOf<T> sample(row_);
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
    const auto got = SampleOf<float>(row_).run();
    const auto compare = [&](const std::vector<float>& a, const std::vector<double>& b, const std::string& what) {
      const double error = distance(a, b, 0.01);
      expect(error <= float_limit, "{} in float ({}) is off by {:.2e} of its maximum", what,
             kernels::name(kernels::gemm_backend()), error);
    };
    compare(got.value, expected.value, "the value");
    for (std::size_t i = 0; i < expected.grads.size(); ++i)
      compare(got.grads[i], expected.grads[i], fmt::format("the gradient of {}", sample_.name(i)));
  }

  const Row& row_;
  CaseReport report_;
  SampleOf<double> sample_;
};

}  // namespace glossa
