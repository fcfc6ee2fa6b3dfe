#include <algorithm>

#include "autograd/cases/row_checker.h"
#include "autograd/taylor_test.h"
#include "layers/cases/layer_sample.h"
#include "layers/cases/model_case.h"

namespace glossa {

namespace {

using kernels::GemmBackend;

class LayerChecker : public RowChecker<LayerSample, LayerCase> {
 public:
  using RowChecker::RowChecker;

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
    attempt(&LayerChecker::check_bf16);
    return std::move(report_);
  }

 private:
  void check_bf16() { RowChecker::check_bf16(std::max(bf16_limit, bf16_over_float * float_error_)); }

  void check_gradients() {
    const GradCheckResult result =
        grad_check(sample_.function(), sample_.inputs(), sample_.store(),
                   {.limit = row_.limit, .floor = row_.floor, .max_elements = row_.max_elements});
    expect_right(result, layer_excess_limit);
    const auto outcome = sample_.run();
    for (std::size_t i = 0; i < outcome.grads.size(); ++i) {
      const bool moves = std::ranges::any_of(outcome.grads[i], [](double g) { return std::abs(g) > 1e-4; });
      const bool can_move = std::ranges::count(row_.without_effect, sample_.name(i)) == 0;
      expect(moves || !can_move, "this check proves nothing: all gradients of {} are nearly zero", sample_.name(i));
      expect(!moves || can_move, "{} has an effect though the row says it has none", sample_.name(i));
    }
  }

  void check_slope() {
    const TaylorResult result = taylor_test(sample_.function(), sample_.store());
    report_.taylor_slope = result.slope;
    expect(result.passes(), "{}", result.describe());
  }

  void check_accumulation() {
    const auto once = sample_.run();
    const auto twice = sample_.run(true, true);
    for (std::size_t i = sample_.inputs().size(); i < once.grads.size(); ++i) {
      std::vector<double> expected = once.grads[i];
      for (double& g : expected) g *= 2;
      expect_added(i, twice.grads[i], expected);
    }
  }

  /// Checks that freezing does not change other gradients.
  void check_frozen() {
    const auto all = sample_.run();
    const auto compare = [&](const auto& some, const std::string& without) {
      for (std::size_t i = 0; i < all.grads.size(); ++i)
        expect(some.grads[i].empty() || sample_.name(i) == without || same_bits(some.grads[i], all.grads[i]),
               "different gradient of {} when {} needs none", sample_.name(i), without);
    };
    compare(sample_.run(false), "an input");
    for (Parameter<double>* parameter : sample_.store().parameters()) {
      parameter->trainable = false;
      compare(sample_.run(), parameter->name);
      parameter->trainable = true;
    }
  }
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
    if (std::ranges::find(names, row.layer()) == names.end()) names.push_back(row.layer());
  return names;
}

CaseReport check_layers(const std::string& layer) {
  CaseReport report{.name = layer};
  for (const LayerCase& row : layer_cases())
    if (row.layer() == layer) report.add(check_layer(row));
  return report;
}

}  // namespace glossa
