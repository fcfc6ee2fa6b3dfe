#include "autograd/cases/check_case.h"

#include <fmt/format.h>

#include "autograd/cases/sample.h"
#include "autograd/grad_check.h"
#include "autograd/heap_counter.h"

namespace glossa {

namespace {

class CaseChecker {
 public:
  explicit CaseChecker(const OpCase& row) : row_(row), report_{.name = row.name} {}

  CaseReport run() {
    attempt(&CaseChecker::check_value);
    attempt(&CaseChecker::check_gradients);
    attempt(&CaseChecker::check_repeated_variables);
    attempt(&CaseChecker::check_special_gradients);
    attempt(&CaseChecker::check_untaped);
    attempt(&CaseChecker::check_second_backward);
    attempt(&CaseChecker::check_accumulation);
    attempt(&CaseChecker::check_thread_counts<double>);
    attempt(&CaseChecker::check_heap<double>);
    attempt(&CaseChecker::check_errors);
    if (!row_.double_only) {
      attempt(&CaseChecker::check_thread_counts<float>);
      attempt(&CaseChecker::check_heap<float>);
      attempt(&CaseChecker::check_float);
    }
    return std::move(report_);
  }

 private:
  void attempt(void (CaseChecker::*part)()) {
    try {
      (this->*part)();
    } catch (const Error& error) {
      expect(false, "threw {}", error.what());
    }
  }

  template <class... Args>
  void expect(bool ok, fmt::format_string<Args...> format, Args&&... args) {
    if (!ok) report_.failures.push_back(row_.name + ": " + fmt::format(format, std::forward<Args>(args)...));
  }

  std::size_t count() const { return row_.inputs.size(); }

  void check_value() {
    if (!row_.reference_value) return;
    sample_.begin(false);
    const Variable<double> y = sample_.call();
    const std::vector<double> expected = row_.reference_value(sample_.inputs());
    expect(static_cast<Index>(expected.size()) == y.size(), "expected {} numbers as the reference; got shape {}",
           expected.size(), y.shape().str());
    for (Index i = 0; i < std::min<Index>(y.size(), expected.size()); ++i) {
      const double got = y.value()[i], want = expected[i];
      if (got == want || std::abs(got - want) <= 1e-12 * std::max(1.0, std::abs(want))) continue;
      expect(false, "element {} of the value is {:.15g}; the reference has {:.15g}", i, got, want);
      return;
    }
  }

  void check_gradients() {
    const GradCheckFunction function = [this](Context<double>&, Inputs<double> x) { return row_.in_double(x); };
    const std::size_t all = (std::size_t{1} << count()) - 1;
    for (std::size_t subset = all; subset > 0; --subset) {
      const int chosen = __builtin_popcountll(subset), of = static_cast<int>(count());
      if (of > 4 && chosen != 1 && chosen < of - 1) continue;
      std::vector<bool> requires_grad(count());
      for (std::size_t i = 0; i < count(); ++i) requires_grad[i] = (subset >> i & 1) && !row_.inputs[i].is_stopped;
      const GradCheckResult result = compare(function, requires_grad, subset == all && row_.max_elements == 0);
      if (subset != all || result.elements == 0 || sample_.run().value.empty()) continue;
      expect((result.largest > 1e-5) != row_.zero_gradient,
             "a check that proves nothing: the largest gradient is {:.2e}", result.largest);
    }
  }

  /// One variable in the places of two inputs of the same shape.
  void check_repeated_variables() {
    for (std::size_t j = 1; j < count(); ++j)
      for (std::size_t i = 0; i < j; ++i) {
        if (row_.inputs[i].is_stopped || row_.inputs[j].is_stopped || !row_.inputs[j].values.empty()) continue;
        if (!(row_.inputs[i].shape == row_.inputs[j].shape)) continue;
        compare(
            [this, i, j](Context<double>&, Inputs<double> x) {
              std::vector<Variable<double>> repeated(x.begin(), x.end());
              repeated[i] = x[j];
              return row_.in_double(repeated);
            },
            {});
      }
  }

  GradCheckResult compare(const GradCheckFunction& function, const std::vector<bool>& requires_grad,
                          bool second_witness = false) {
    const GradCheckResult result = grad_check(function, sample_.inputs(),
                                              {.step = row_.step,
                                               .requires_grad = requires_grad,
                                               .max_elements = row_.max_elements,
                                               .second_step = second_witness ? 512 * row_.step : 0});
    ++report_.cases;
    report_.elements += result.elements;
    report_.kinks += result.kinks;
    report_.skipped += result.skipped;
    report_.worst_error = std::max(report_.worst_error, result.worst_error);
    report_.loose_error = std::max(report_.loose_error, result.loose_error);
    expect(result.worst_error <= gradient_limit, "{}", result.describe());
    report_.second_error = std::max(report_.second_error, result.second_error);
    if (result.coarse > 1e-7 && result.coarse > 1e-9 * result.largest)
      expect(result.fine * 10 < result.coarse && result.coarse < result.fine * 24,
             "the stencil's error falls from {:.2e} to {:.2e} at half the step; expected a sixteenth", result.coarse,
             result.fine);
    expect(result.second_error <= second_limit, "element {} of {} differs by {:.2e} from extrapolated differences",
           result.second_index, result.second_name, result.second_error);
    return result;
  }

  void check_special_gradients() {
    const auto outcome = sample_.run();
    for (std::size_t i = 0; i < count(); ++i)
      if (row_.zero_gradient || row_.inputs[i].is_stopped)
        expect(std::ranges::all_of(outcome.grads[i], [](double g) { return g == 0; }),
               "expected the gradient of input {} to be exactly zero", i);
  }

  void check_untaped() {
    const auto taped = sample_.run();
    sample_.begin(false);
    const Variable<double> y = sample_.call();
    expect(!y.requires_grad() && sample_.context().tape().size() == 0,
           "recorded on the tape though nothing is recorded");
    expect(same_bits(sample_.outcome(y).value, taped.value), "other values without a tape");
    for (const Variable<double>& leaf : sample_.leaves())
      expect(!leaf.requires_grad(), "an input requires a gradient though nothing is recorded");
  }

  void check_second_backward() {
    sample_.begin(true, true);
    const Variable<double> y = sample_.call();
    if (!y.requires_grad()) return;
    sample_.backward(y, true);
    const auto first = sample_.outcome(y);
    sample_.backward(y);
    expect(sample_.outcome(y).same_bits(first), "other gradients from a second backward over a kept graph");
    try {
      sample_.backward(y);
      expect(false, "backward over a graph that was not kept did not throw");
    } catch (const Error&) {
    }
  }

  /// Gradients are added to what other uses of the input have left there.
  void check_accumulation() {
    const auto alone = sample_.run();
    sample_.begin(true);
    const Variable<double> y = sample_.call();
    if (!y.requires_grad()) return;
    for (std::size_t i = 0; i < count(); ++i)
      sample_.context().backward(scale(sample_.leaves()[i], 3.0), sample_.inputs()[i], true);
    sample_.backward(y);
    const auto added = sample_.outcome(y);
    for (std::size_t i = 0; i < count(); ++i) {
      const Tensor<double> other = sample_.inputs()[i];
      double worst = 0, largest = 1;
      for (Index k = 0; k < other.size(); ++k) {
        const double expected = alone.grads[i][k] + 3 * other[k];
        worst = std::max(worst, std::abs(added.grads[i][k] - expected));
        largest = std::max(largest, std::abs(expected));
      }
      expect(worst <= 1e-13 * largest, "gradient of input {} is not added to what was there (off by {:.2e})", i, worst);
    }
  }

  template <class T>
  void check_thread_counts() {
    Sample<T> sample(row_);
    const auto with_one = sample.run();
    for (const int team : {2, 4}) {
      set_threads(team);
      expect(sample.run().same_bits(with_one), "other bits with {} threads", team);
    }
    set_threads(1);
  }

  template <class T>
  void check_heap() {
    if (row_.allocates) return;
    Sample<T> sample(row_);
    std::size_t asked = 0;
    for (int warm_up = 0; warm_up < 3; ++warm_up) {
      sample.begin(true);
      const std::size_t before = heap_allocations();
      sample.backward(sample.call());
      asked = heap_allocations() - before;
    }
    expect(asked == 0, "{} heap allocations in a {} step after warm-up", asked, sizeof(T) == 4 ? "float" : "double");
  }

  void check_float() {
    const auto expected = sample_.run();
    const auto got = Sample<float>(row_).run();
    const auto compare = [&](const std::vector<double>& a, const std::vector<float>& b, const std::string& what) {
      double worst = 0, largest = 0.01;
      for (std::size_t i = 0; i < a.size(); ++i) {
        if (a[i] == b[i] || (std::isnan(a[i]) && std::isnan(b[i]))) continue;
        const double difference = std::abs(a[i] - b[i]);
        worst = std::max(worst, std::isnan(difference) ? INFINITY : difference);
        largest = std::max(largest, std::abs(a[i]));
      }
      expect(worst <= float_limit * largest, "{} in float is off by {:.2e} of its maximum", what, worst / largest);
    };
    compare(expected.value, got.value, "the value");
    for (std::size_t i = 0; i < count(); ++i) compare(expected.grads[i], got.grads[i], fmt::format("gradient {}", i));
  }

  void check_errors() {
    for (const ErrorRow& error : row_.errors) {
      std::vector<std::vector<double>> numbers;
      for (const Shape& shape : error.shapes) numbers.emplace_back(shape.size(), 0.5);
      for (const bool recording : {true, false}) {
        Context<double> context;
        context.begin({.training = true, .recording = recording});
        std::vector<Variable<double>> inputs;
        for (std::size_t i = 0; i < numbers.size(); ++i)
          inputs.push_back(context.input(Tensor<double>{numbers[i].data(), error.shapes[i]}));
        try {
          error.call(inputs);
          expect(false, "an input that is wrong ({}) did not throw", fmt::join(error.words, ", "));
        } catch (const Error& thrown) {
          const std::string text = thrown.what();
          expect(text.starts_with("[" + row_.op() + "] "), "expected an error of {}; got {}", row_.op(), text);
          for (const std::string& word : error.words)
            expect(text.find(word) != std::string::npos, "expected {} in the text of the error; got {}", word, text);
        }
      }
    }
  }

  const OpCase& row_;
  CaseReport report_;
  Sample<double> sample_{row_};
};

}  // namespace

void CaseReport::add(const CaseReport& other) {
  cases += other.cases;
  elements += other.elements;
  worst_error = std::max(worst_error, other.worst_error);
  loose_error = std::max(loose_error, other.loose_error);
  second_error = std::max(second_error, other.second_error);
  kinks += other.kinks;
  skipped += other.skipped;
  seconds += other.seconds;
  failures.insert(failures.end(), other.failures.begin(), other.failures.end());
}

CaseReport check_case(const OpCase& row) {
  const int before = threads();
  set_threads(1);
  const CaseReport report = timed({}, [&](CaseReport& all) { all = CaseChecker(row).run(); });
  set_threads(before);
  return report;
}

std::vector<std::string> op_names() {
  std::vector<std::string> names;
  for (const OpCase& row : op_cases())
    if (names.empty() || names.back() != row.op()) names.push_back(row.op());
  return names;
}

CaseReport check_op(const std::string& op) {
  CaseReport report{.name = op};
  for (const OpCase& row : op_cases())
    if (row.op() == op) report.add(check_case(row));
  return report;
}

}  // namespace glossa
