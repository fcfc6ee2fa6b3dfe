#include <algorithm>

#include "autograd/cases/row_checker.h"
#include "autograd/taylor_test.h"
#include "layers/cases/layer_case.h"

namespace glossa {

namespace {

using kernels::GemmBackend;

class LayerChecker : public RowChecker<LayerCase> {
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
    compare_with_differences(sample_.function(), {}, layer_excess_limit);
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
    const auto twice = sample_.run(all_inputs, true);
    for (std::size_t i = sample_.inputs().size(); i < once.grads.size(); ++i) {
      std::vector<double> expected = once.grads[i];
      for (double& g : expected) g *= 2;
      expect_added(i, twice.grads[i], expected);
    }
  }

  /// Checks that freezing does not change other gradients.
  void check_frozen() {
    const auto all = sample_.run();
    const auto compare = [&](const auto& some, const std::string& without, std::size_t first) {
      for (std::size_t i = first; i < all.grads.size(); ++i)
        expect(sample_.name(i) == without || same_bits(some.grads[i], all.grads[i]),
               "different gradient of {} when {} needs none", sample_.name(i), without);
    };
    compare(sample_.run(0), "an input", sample_.inputs().size());
    for (Parameter<double>* parameter : sample_.store().parameters()) {
      parameter->trainable = false;
      compare(sample_.run(), parameter->name, 0);
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

}  // namespace glossa
