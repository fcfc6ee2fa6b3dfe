#include "autograd/ops.h"
#include "python/binding/bindings.h"
#include "python/binding/define.h"
#include "python/binding/rows.h"

namespace glossa::python {

using nb::literals::operator""_a;

namespace {

/// Computes f(x) along an axis, for an f that works on the last axis.
template <class T, class F>
Variable<T> along(const Variable<T>& x, int axis, const F& f) {
  axis = x.shape().axis(axis, "softmax");
  if (axis == x.shape().rank() - 1) return f(x);
  const Variable<T> last = transpose(x, axis, -1);
  return transpose(f(last), axis, -1);
}

}  // namespace

void add_normalization(nb::module_& m) {
  def_with_method(
      m, "softmax",
      [](const Operand& x, int axis) {
        return compute(
            "softmax", [=](auto& v) { return along(v, axis, [](auto& w) { return softmax(w); }); }, x);
      },
      "axis"_a = -1, "exp(x) / sum(exp(x)) along an axis. A slice of only -inf gives zeros.");
  def_with_method(
      m, "log_softmax",
      [](const Operand& x, int axis) {
        return compute(
            "log_softmax", [=](auto& v) { return along(v, axis, [](auto& w) { return log_softmax(w); }); }, x);
      },
      "axis"_a = -1, "log(softmax(x)), without taking the logarithm of small numbers");
  m.def(
      "layer_norm",
      [](const Operand& x, const std::optional<Operand>& gain, const std::optional<Operand>& bias, double epsilon) {
        if (gain.has_value() != bias.has_value())
          misuse("layer_norm", "expected gain and bias, or neither; got one of them");
        if (!gain)
          return compute(
              "layer_norm", [=](auto& v) { return layer_norm(v, epsilon); }, x);
        return compute(
            "layer_norm", [=](auto& v, auto& g, auto& b) { return layer_norm(v, g, b, epsilon); }, x, *gain, *bias);
      },
      "x"_a, "gain"_a = nb::none(), "bias"_a = nb::none(), "epsilon"_a = 1e-5,
      "(x - mean) / sqrt(variance + epsilon) * gain + bias over the last axis (Ba et al. 2016)");
  m.def(
      "rms_norm",
      [](const Operand& x, const std::optional<Operand>& gain, double epsilon) {
        if (!gain)
          return compute(
              "rms_norm", [=](auto& v) { return rms_norm(v, epsilon); }, x);
        return compute(
            "rms_norm", [=](auto& v, auto& g) { return rms_norm(v, g, epsilon); }, x, *gain);
      },
      "x"_a, "gain"_a = nb::none(), "epsilon"_a = 1e-5,
      "x / sqrt(mean(x^2) + epsilon) * gain over the last axis (Zhang and Sennrich 2019)");
  m.def(
      "add_layer_norm",
      [](const Operand& x, const Operand& branch, const Operand& gain, const Operand& bias, const RowsLike& given,
         double dropout, double epsilon) {
        const Rows rows = to_rows("add_layer_norm", given);
        return compute(
            "add_layer_norm",
            [&](auto& v, auto& b, auto& g, auto& c) {
              return add_layer_norm(v, b, dropout, rows.layout_in(v.context()), g, c, epsilon);
            },
            x, branch, gain, bias);
      },
      "x"_a, "branch"_a, "gain"_a, "bias"_a, "rows"_a, nb::kw_only(), "dropout"_a = 0.0, "epsilon"_a = 1e-5,
      "layer_norm(x + dropout(branch)): the end of a post-norm sub-layer in one pass. x, branch [N, D].");
  m.def(
      "add_rms_norm",
      [](const Operand& x, const Operand& branch, const Operand& gain, const RowsLike& given, double dropout,
         double epsilon) {
        const Rows rows = to_rows("add_rms_norm", given);
        return compute(
            "add_rms_norm",
            [&](auto& v, auto& b, auto& g) {
              return add_rms_norm(v, b, dropout, rows.layout_in(v.context()), g, epsilon);
            },
            x, branch, gain);
      },
      "x"_a, "branch"_a, "gain"_a, "rows"_a, nb::kw_only(), "dropout"_a = 0.0, "epsilon"_a = 1e-5,
      "rms_norm(x + dropout(branch)), in one pass as add_layer_norm. x, branch [N, D].");
  m.def(
      "dropout",
      [](const Operand& x, double p, const std::optional<RowsLike>& given) {
        std::optional<Rows> rows;
        if (given) rows = to_rows("dropout", *given);
        return compute(
            "dropout", [&](auto& v) { return rows ? dropout(v, p, rows->layout_in(v.context())) : dropout(v, p); }, x);
      },
      "x"_a, "p"_a, "rows"_a = nb::none(),
      "Zeroes elements with probability p and divides the others by 1 - p, in a training step (Srivastava et al. "
      "2014). The mask is a function of the step's seed and update, and of the row's sequence and position.");
  m.def(
      "add_dropout",
      [](const Operand& x, const Operand& branch, double p, const RowsLike& given) {
        const Rows rows = to_rows("add_dropout", given);
        return compute(
            "add_dropout", [&](auto& v, auto& b) { return add_dropout(v, b, p, rows.layout_in(v.context())); }, x,
            branch);
      },
      "x"_a, "branch"_a, "p"_a, "rows"_a, "x + dropout(branch): the end of a pre-norm sub-layer in one pass");
}

}  // namespace glossa::python
