#include "autograd/ops.h"
#include "python/binding/bindings.h"
#include "python/binding/operand.h"
#include "python/binding/rows.h"

namespace glossa::python {

using nb::literals::operator""_a;

void add_products(nb::module_& m) {
  m.def(
      "matmul",
      [](const Operand& a, const Operand& b, bool transpose_a, bool transpose_b) {
        return compute(
            "matmul", [=](auto& x, auto& y) { return matmul(x, y, transpose_a, transpose_b); }, a, b);
      },
      "a"_a, "b"_a, nb::kw_only(), "transpose_a"_a = false, "transpose_b"_a = false,
      "The matrix product a @ b, [..., M, K] x [..., K, N] -> [..., M, N], with the last two axes of a or b transposed "
      "first if requested. A vector counts as a matrix of one row (a) or one column (b).");
  m.def(
      "linear",
      [](const Operand& x, const Operand& weight, const std::optional<Operand>& bias) {
        return compute_all("linear", present({x, weight, bias}),
                           [](auto v) { return linear(v[0], v[1], third_of(v)); });
      },
      "x"_a, "weight"_a, "bias"_a = nb::none(), "x @ weight.T + bias: x [..., I], weight [O, I], bias [O] -> [..., O]");
  m.def(
      "linear_relu",
      [](const Operand& x, const Operand& weight, const std::optional<Operand>& bias, double p, const RowsLike& given) {
        const Rows rows = to_rows("linear_relu", given);
        return compute_all("linear_relu", present({x, weight, bias}), [&](auto v) {
          return linear_relu(v[0], v[1], third_of(v), p, rows.layout_in(v[0].context()));
        });
      },
      "x"_a, "weight"_a, "bias"_a.none(), nb::kw_only(), "p"_a, "rows"_a,
      "dropout(relu(linear(x, weight, bias)), p, rows) in one op that stores only its result");
}

}  // namespace glossa::python
