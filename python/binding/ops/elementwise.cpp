#include "autograd/ops.h"
#include "python/binding/bindings.h"
#include "python/binding/define.h"

namespace glossa::python {

using nb::literals::operator""_a;

namespace {

template <class F>
void def_unary(nb::module_& m, const char* name, const char* doc, F f) {
  def_with_method(
      m, name, [name, f](const Operand& x) { return compute(name, f, x); }, doc);
}

template <class F>
void def_binary(nb::module_& m, const char* name, const char* doc, F f) {
  m.def(
      name, [name, f](const Operand& a, const Operand& b) { return compute(name, f, a, b); }, "a"_a, "b"_a, doc);
}

}  // namespace

void add_elementwise(nb::module_& m) {
  def_binary(m, "add", "a + b; shapes broadcast by NumPy's rule", [](auto& a, auto& b) { return add(a, b); });
  def_binary(m, "sub", "a - b", [](auto& a, auto& b) { return sub(a, b); });
  def_binary(m, "mul", "a * b, elementwise", [](auto& a, auto& b) { return mul(a, b); });
  def_binary(m, "div", "a / b; b = 0 gives inf or NaN", [](auto& a, auto& b) { return div(a, b); });
  def_binary(m, "minimum", "The smaller element; NaN if either is NaN. Equal elements get half of the gradient each.",
             [](auto& a, auto& b) { return minimum(a, b); });
  def_binary(m, "maximum", "The larger element; NaN if either is NaN. Equal elements get half of the gradient each.",
             [](auto& a, auto& b) { return maximum(a, b); });
  def_unary(m, "neg", "-x", [](auto& x) { return neg(x); });
  def_with_method(
      m, "scale",
      [](const Operand& x, double factor) {
        return compute(
            "scale", [=](auto& v) { return scale(v, factor); }, x);
      },
      "factor"_a, "factor * x, for a number `factor`");

  def_unary(m, "exp", "e^x", [](auto& x) { return exp(x); });
  def_unary(m, "log", "The natural logarithm; x <= 0 gives -inf or NaN", [](auto& x) { return log(x); });
  def_unary(m, "sqrt", "The square root; x < 0 gives NaN, and the derivative at 0 is inf",
            [](auto& x) { return sqrt(x); });
  def_with_method(
      m, "pow",
      [](const Operand& x, double exponent) {
        return compute(
            "pow", [=](auto& v) { return pow(v, exponent); }, x);
      },
      "exponent"_a, "x to the power of a number; exponent 0 has derivative 0 everywhere");
  def_unary(m, "square", "x^2", [](auto& x) { return square(x); });
  def_unary(m, "abs", "|x|; derivative 0 at 0", [](auto& x) { return abs(x); });
  def_with_method(
      m, "clamp",
      [](const Operand& x, double low, double high) {
        return compute(
            "clamp", [=](auto& v) { return clamp(v, low, high); }, x);
      },
      "low"_a, "high"_a, "min(max(x, low), high); the derivative is 1 in [low, high] and 0 outside");

  def_unary(m, "tanh", "The hyperbolic tangent", [](auto& x) { return tanh(x); });
  def_unary(m, "sigmoid", "1 / (1 + e^-x)", [](auto& x) { return sigmoid(x); });
  def_unary(m, "relu", "max(x, 0); derivative 0 at 0", [](auto& x) { return relu(x); });
  def_unary(m, "gelu", "x Phi(x), with the normal distribution function Phi (Hendrycks and Gimpel 2016)",
            [](auto& x) { return gelu(x); });
  def_unary(m, "gelu_tanh", "The tanh approximation of gelu", [](auto& x) { return gelu_tanh(x); });
  def_unary(m, "silu", "x sigmoid(x) (Elfwing et al. 2017)", [](auto& x) { return silu(x); });
  m.def(
      "swiglu",
      [](const Operand& x) {
        return compute(
            "swiglu", [](auto& v) { return swiglu(v); }, x);
      },
      "x"_a, "silu(a) b (Shazeer 2020), in which (a, b) are the halves of a row: x [..., 2 H] -> [..., H]");
  m.def(
      "geglu",
      [](const Operand& x) {
        return compute(
            "geglu", [](auto& v) { return geglu(v); }, x);
      },
      "x"_a, "gelu(a) b (Shazeer 2020), in which (a, b) are the halves of a row: x [..., 2 H] -> [..., H]");
  def_unary(m, "softplus", "log(1 + e^x)", [](auto& x) { return softplus(x); });
}

}  // namespace glossa::python
