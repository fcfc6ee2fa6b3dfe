#include "python/binding/loss.h"

#include "python/binding/bindings.h"
#include "python/binding/operand.h"
#include "python/binding/variable.h"

namespace glossa::python {

using nb::literals::operator""_a;

namespace {

/// Returns the loss that f(variables) computes, a CrossEntropy<T>.
template <class F>
Loss loss_of(const char* op, std::span<const Operand> operands, const F& f) {
  std::optional<Loss> loss;
  compute_all(op, operands, [&](auto variables) {
    const auto result = f(variables);
    loss.emplace(Step::current(op), result);
    return result.sum;
  });
  return *loss;
}

Loss cross_entropy_of(const Operand& logits, const IdsLike& targets, int ignore_index, double label_smoothing) {
  const Ids ids = to_ids("cross_entropy", targets);
  return loss_of("cross_entropy", {&logits, 1}, [&](auto x) {
    return cross_entropy(x[0], std::span<const int>(ids.numbers), ignore_index, label_smoothing);
  });
}

Loss linear_cross_entropy_of(const Operand& x, const Operand& weight, const IdsLike& targets,
                             const std::optional<Operand>& bias, int ignore_index, double label_smoothing) {
  const Ids ids = to_ids("linear_cross_entropy", targets);
  return loss_of("linear_cross_entropy", present({x, weight, bias}), [&](auto v) {
    return linear_cross_entropy(v[0], v[1], third_of(v), std::span<const int>(ids.numbers), ignore_index,
                                label_smoothing);
  });
}

Loss r_drop_of(const Operand& x, const Operand& weight, const IdsLike& targets, double alpha,
               const std::optional<Operand>& bias, int ignore_index, double label_smoothing) {
  const Ids ids = to_ids("r_drop", targets);
  return loss_of("r_drop", present({x, weight, bias}), [&](auto v) {
    return r_drop(v[0], v[1], third_of(v), std::span<const int>(ids.numbers), alpha, ignore_index, label_smoothing);
  });
}

}  // namespace

void add_losses(nb::module_& m) {
  nb::class_<Loss>(m, "CrossEntropy", "Cross-entropy over the rows whose target is not `ignore_index`")
      .def_ro("sum", &Loss::sum, "The training loss, with smoothing, summed over the counted rows: a Variable []")
      .def_prop_ro(
          "mean",
          [](const Loss& loss) {
            const double count = static_cast<double>(std::max<Index>(loss.count, 1));
            return compute(
                "CrossEntropy.mean", [=](auto& sum) { return scale(sum, 1 / count); }, Operand{nb::cast(loss.sum)});
          },
          "`sum` / `count`, the loss of PyTorch's cross_entropy: a Variable []")
      .def(
          "item",
          [](const Loss& loss) { return number_of(loss.sum) / static_cast<double>(std::max<Index>(loss.count, 1)); },
          "The value of `mean`, a float")
      .def_ro("nll_sum", &Loss::nll_sum, "The sum of -ln p(target), without smoothing: a float")
      .def_ro("count", &Loss::count, "The number of counted rows")
      .def_prop_ro("nll", &Loss::nll, "The mean of -ln p(target) over the counted rows: a float that outlives the step")
      .def(
          "backward", [](const Loss& loss) { backward(loss.sum, {}, false); },
          "Computes the gradients of `sum`. Divide by `count` in the optimizer's step: gradient_scale=1 / loss.count.")
      .def("__repr__", [](const Loss& loss) {
        return fmt::format("<glossa.CrossEntropy: nll {:.6g} per row, {} rows>", loss.nll(), loss.count);
      });
  m.def("cross_entropy", cross_entropy_of, "logits"_a, "targets"_a, nb::kw_only(), "ignore_index"_a = -100,
        "label_smoothing"_a = 0.0,
        "logits [N, V], N targets. With smoothing s, the target distribution is (1 - s) onehot + s / V (Szegedy et al. "
        "2016), as in PyTorch. Rows with the target ignore_index do not count.");
  m.def("linear_cross_entropy", linear_cross_entropy_of, "x"_a, "weight"_a, "targets"_a, "bias"_a = nb::none(),
        nb::kw_only(), "ignore_index"_a = -100, "label_smoothing"_a = 0.0,
        "cross_entropy(linear(x, weight, bias), targets), without ever holding all logits in memory: x [N, D], weight "
        "[V, D], bias [V]");
  m.def(
      "r_drop", r_drop_of, "x"_a, "weight"_a, "targets"_a, "alpha"_a, "bias"_a = nb::none(), nb::kw_only(),
      "ignore_index"_a = -100, "label_smoothing"_a = 0.0,
      "R-Drop (Wu et al. 2021): x [2N, D] are the states of N rows in two passes with different dropout, one after the "
      "other. The loss is the sum over rows of (loss(p) + loss(q)) / 2 + alpha / 4 (KL(p || q) + KL(q || p)), half of "
      "the paper's; p and q are the row's distributions in the two passes. weight [V, D], bias [V], N targets.");
}

}  // namespace glossa::python
