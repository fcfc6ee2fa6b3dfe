#include "autograd/cases/check_case.h"

#include <fmt/format.h>

#include "autograd/cases/row_checker.h"

namespace glossa {

namespace {

/// Adds the fields that CaseReport and GradCheckResult have in common.
void add_numbers(CaseReport& report, const auto& other) {
  report.elements += other.elements;
  report.worst_error = std::max(report.worst_error, other.worst_error);
  report.loose_error = std::max(report.loose_error, other.loose_error);
  report.excess = std::max(report.excess, other.excess);
  report.kinks += other.kinks;
  report.skipped += other.skipped;
  report.undecided += other.undecided;
}

class CaseChecker : public RowChecker<OpCase> {
 public:
  using RowChecker::RowChecker;

  CaseReport run() {
    attempt(&CaseChecker::check_value);
    attempt(&CaseChecker::check_gradients);
    attempt(&CaseChecker::check_subsets);
    attempt(&CaseChecker::check_repeated_variables);
    attempt(&CaseChecker::check_special_gradients);
    attempt(&CaseChecker::check_untaped);
    attempt(&CaseChecker::check_second_backward);
    attempt(&CaseChecker::check_accumulation);
    attempt(&CaseChecker::check_thread_counts<double>);
    if (!row_.allocates) attempt(&CaseChecker::check_heap<double>);
    attempt(&CaseChecker::check_errors);
    if (!row_.double_only) {
      attempt(&CaseChecker::check_thread_counts<float>);
      if (!row_.allocates) attempt(&CaseChecker::check_heap<float>);
      attempt(&CaseChecker::check_float);
      attempt(&CaseChecker::check_bf16);
    }
    return std::move(report_);
  }

 private:
  void check_bf16() { RowChecker::check_bf16(bf16_limit); }

  std::size_t count() const { return row_.inputs.size(); }

  void check_value() {
    if (!row_.reference_value) return;
    const Variable<double> y = sample_.forward(false);
    const std::vector<double> expected = row_.reference_value(sample_.inputs());
    expect(static_cast<Index>(expected.size()) == y.size(), "expected {} numbers, as in the reference; got shape {}",
           expected.size(), y.shape().str());
    for (Index i = 0; i < std::min<Index>(y.size(), expected.size()); ++i) {
      const double got = y.value()[i], want = expected[i];
      if (got == want || std::abs(got - want) <= 1e-12 * std::max(1.0, std::abs(want))) continue;
      expect(false, "element {} of the value is {:.15g}; the reference has {:.15g}", i, got, want);
      return;
    }
  }

  void check_gradients() {
    std::vector<bool> requires_grad(count());
    for (std::size_t i = 0; i < count(); ++i) requires_grad[i] = !row_.inputs[i].is_stopped;
    const GradCheckResult result = compare_with_differences(sample_.function(), requires_grad, excess_limit);
    if (result.elements == 0 || sample_.run().value.empty()) return;
    expect((result.largest > 1e-5) != row_.zero_gradient, "this check proves nothing: the largest gradient is {:.2e}",
           result.largest);
  }

  /// Checks that an input's gradient does not depend on which other inputs need one.
  void check_subsets() {
    const auto all = sample_.run();
    for (std::uint64_t subset = 1; subset + 1 < std::uint64_t{1} << count(); ++subset) {
      const auto some = sample_.run(subset);
      expect(same_bits(some.value, all.value), "different value when only inputs {:#b} need a gradient", subset);
      for (std::size_t i = 0; i < count(); ++i)
        expect(!(subset >> i & 1) || same_bits(some.grads[i], all.grads[i]),
               "different gradient of {} when only inputs {:#b} need one", sample_.name(i), subset);
    }
  }

  /// Checks gradients if one variable is passed for two inputs of equal shape.
  void check_repeated_variables() {
    for (std::size_t j = 1; j < count(); ++j)
      for (std::size_t i = 0; i < j; ++i) {
        if (row_.inputs[i].is_stopped || row_.inputs[j].is_stopped || !row_.inputs[j].values.empty()) continue;
        if (!(row_.inputs[i].shape == row_.inputs[j].shape)) continue;
        compare_with_differences(
            [this, i, j](Context<double>& c, Inputs<double> x) {
              std::vector<Variable<double>> repeated(x.begin(), x.end());
              repeated[i] = x[j];
              return sample_.function()(c, repeated);
            },
            {}, excess_limit);
      }
  }

  void check_special_gradients() {
    const auto outcome = sample_.run();
    for (std::size_t i = 0; i < count(); ++i)
      if (row_.zero_gradient || row_.inputs[i].is_stopped)
        expect(std::ranges::all_of(outcome.grads[i], [](double g) { return g == 0; }),
               "expected the gradient of input {} to be exactly zero", i);
  }

  void check_second_backward() {
    sample_.begin(true, true);
    const Variable<double> y = sample_.call();
    if (!y.requires_grad()) return;
    sample_.backward(y, true);
    const auto first = sample_.outcome(y);
    sample_.backward(y);
    expect(sample_.outcome(y).same_bits(first), "a second backward over a kept graph gives different gradients");
    try {
      sample_.backward(y);
      expect(false, "backward over a graph that was not kept did not throw");
    } catch (const Error&) {
    }
  }

  /// Checks that gradients add to those from the input's other uses.
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
      std::vector<double> expected = alone.grads[i];
      for (std::size_t k = 0; k < expected.size(); ++k) expected[k] += 3 * sample_.inputs()[i][k];
      expect_added(i, added.grads[i], expected);
    }
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
          if (error.call)
            error.call(inputs);
          else
            sample_.function()(context, inputs);
          expect(false, "a wrong input ({}) did not throw", fmt::join(error.words, ", "));
        } catch (const Error& thrown) {
          const std::string text = thrown.what();
          expect(thrown.parts().where == row_.subject(), "expected an error of {}; got {}", row_.subject(), text);
          for (const std::string& word : error.words)
            expect(text.find(word) != std::string::npos, "expected {} in the error; got {}", word, text);
        }
      }
    }
  }
};

}  // namespace

void CaseReport::add(const GradCheckResult& result) {
  ++cases;
  add_numbers(*this, result);
}

void CaseReport::add(const CaseReport& other) {
  cases += other.cases;
  add_numbers(*this, other);
  if (other.bf16_error) bf16_error = worse(bf16_error.value_or(0), *other.bf16_error);
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

}  // namespace glossa
