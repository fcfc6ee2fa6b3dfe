#include <cmath>

#include "autograd/grad_check.h"
#include "autograd/heap_counter.h"
#include "autograd/kernels/gemm.h"
#include "autograd/parallel.h"
#include "autograd/taylor_test.h"
#include "layers/cases/layer_sample.h"
#include "layers/cases/model_case.h"

namespace glossa {

namespace {

using kernels::GemmBackend;

class LayerChecker {
 public:
  explicit LayerChecker(const LayerCase& row) : row_(row), report_{.name = row.name}, sample_(row) {}

  CaseReport run() {
    attempt(&LayerChecker::check_gradients);
    if (row_.whole_model) attempt(&LayerChecker::check_slope);
    attempt(&LayerChecker::check_untaped);
    attempt(&LayerChecker::check_accumulation);
    attempt(&LayerChecker::check_frozen);
    attempt(&LayerChecker::check_thread_counts<double>);
    attempt(&LayerChecker::check_thread_counts<float>);
    attempt(&LayerChecker::check_heap<double>);
    attempt(&LayerChecker::check_heap<float>);
    for (const GemmBackend backend : {GemmBackend::eigen, GemmBackend::onednn}) {
      if (!kernels::has_gemm_backend(backend)) continue;
      kernels::set_gemm_backend(backend);
      attempt(&LayerChecker::check_float);
    }
    return std::move(report_);
  }

 private:
  void attempt(void (LayerChecker::*part)()) {
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

  void check_gradients() {
    const GradCheckResult result =
        grad_check(sample_.function(), sample_.inputs(), sample_.store(),
                   {.floor = row_.floor, .step = row_.step, .second_step = row_.whole_model ? 0 : 0x1p-1});
    ++report_.cases;
    report_.elements += result.elements;
    report_.worst_error = result.worst_error;
    report_.loose_error = result.loose_error;
    report_.second_error = result.second_error;
    report_.kinks += result.kinks;
    report_.skipped += result.skipped;
    expect(result.worst_error <= row_.limit && result.skipped == 0, "{}", result.describe());
    expect(result.second_error <= layer_second_limit,
           "element {} of {} differs by {:.2e} from extrapolated differences", result.second_index, result.second_name,
           result.second_error);
    const auto outcome = sample_.run();
    for (std::size_t i = 0; i < outcome.grads.size(); ++i) {
      const bool moves = std::ranges::any_of(outcome.grads[i], [](double g) { return std::abs(g) > 1e-4; });
      const bool can_move = std::ranges::count(row_.without_effect, sample_.name(i)) == 0;
      expect(moves || !can_move, "a check that proves nothing: all gradients of {} are nearly zero", sample_.name(i));
      expect(!moves || can_move, "{} has an effect though the row says it has none", sample_.name(i));
    }
  }

  void check_slope() {
    report_.taylor_slope = taylor_test(sample_.function(), sample_.store()).slope;
    expect(*report_.taylor_slope >= slope_limit, "Taylor's remainder falls with slope {:.3f}; expected 2",
           *report_.taylor_slope);
  }

  void check_untaped() {
    const auto taped = sample_.run();
    const Variable<double> y = sample_.forward(false);
    expect(sample_.context().tape().size() == 0, "recorded on the tape though nothing is recorded");
    expect(same_bits(LayerSample<double>::copy(y.value()), taped.value), "other values without a tape");
  }

  void check_accumulation() {
    const auto once = sample_.run();
    const auto twice = sample_.run(true, true);
    for (std::size_t i = sample_.inputs().size(); i < once.grads.size(); ++i) {
      double worst = 0, largest = 1;
      for (std::size_t k = 0; k < once.grads[i].size(); ++k) {
        worst = std::max(worst, std::abs(twice.grads[i][k] - 2 * once.grads[i][k]));
        largest = std::max(largest, std::abs(once.grads[i][k]));
      }
      expect(worst <= 1e-13 * largest, "gradient of {} is not added to what was there (off by {:.2e})", sample_.name(i),
             worst);
    }
  }

  /// What needs no gradient changes no other gradient.
  void check_frozen() {
    const auto all = sample_.run();
    const auto compare = [&](const auto& some, const std::string& without) {
      for (std::size_t i = 0; i < all.grads.size(); ++i)
        expect(some.grads[i].empty() || sample_.name(i) == without || same_bits(some.grads[i], all.grads[i]),
               "another gradient of {} where {} needs none", sample_.name(i), without);
    };
    compare(sample_.run(false), "an input");
    for (Parameter<double>* parameter : sample_.store().parameters()) {
      parameter->trainable = false;
      compare(sample_.run(), parameter->name);
      parameter->trainable = true;
    }
  }

  template <class T>
  void check_thread_counts() {
    LayerSample<T> sample(row_);
    const auto with_one = sample.run();
    for (const int team : {2, 4}) {
      set_threads(team);
      const auto with_team = sample.run();
      expect(same_bits(with_team.value, with_one.value), "other values with {} threads", team);
      for (std::size_t i = 0; i < with_one.grads.size(); ++i)
        expect(same_bits(with_team.grads[i], with_one.grads[i]), "another gradient of {} with {} threads",
               sample.name(i), team);
    }
    set_threads(1);
  }

  template <class T>
  void check_heap() {
    LayerSample<T> sample(row_);
    std::size_t asked = 0;
    for (int step = 0; step < 3; ++step) {
      const std::size_t before = heap_allocations();
      sample.store().clear_grads();
      sample.backward(sample.forward(true));
      asked = heap_allocations() - before;
    }
    expect(asked == 0, "{} heap allocations in a {} step after warm-up", asked, sizeof(T) == 4 ? "float" : "double");
  }

  void check_float() {
    const auto expected = sample_.run();
    const auto got = LayerSample<float>(row_).run();
    const auto compare = [&](const std::vector<double>& a, const std::vector<float>& b, const std::string& what) {
      double worst = 0, largest = 0.01;
      for (std::size_t i = 0; i < a.size(); ++i) {
        const double difference = std::abs(a[i] - b[i]);
        worst = std::max(worst, std::isnan(difference) ? INFINITY : difference);
        largest = std::max(largest, std::abs(a[i]));
      }
      expect(worst <= float_limit * largest, "{} in float ({}) is off by {:.2e} of its maximum", what,
             kernels::name(kernels::gemm_backend()), worst / largest);
    };
    compare(expected.value, got.value, "the value");
    for (std::size_t i = 0; i < expected.grads.size(); ++i)
      compare(expected.grads[i], got.grads[i], "the gradient of " + sample_.name(i));
  }

  const LayerCase& row_;
  CaseReport report_;
  LayerSample<double> sample_;
};

}  // namespace

CaseReport check_layer(const LayerCase& row) {
  const int team = threads();
  const GemmBackend backend = kernels::gemm_backend();
  set_threads(1);
  const CaseReport report = timed({}, [&](CaseReport& all) { all = LayerChecker(row).run(); });
  set_threads(team);
  kernels::set_gemm_backend(backend);
  return report;
}

std::vector<std::string> layer_names() {
  std::vector<std::string> names;
  for (const LayerCase& row : layer_cases())
    if (names.empty() || names.back() != row.layer()) names.push_back(row.layer());
  return names;
}

CaseReport check_layers(const std::string& layer) {
  CaseReport report{.name = layer};
  for (const LayerCase& row : layer_cases())
    if (row.layer() == layer) report.add(check_layer(row));
  return report;
}

}  // namespace glossa
