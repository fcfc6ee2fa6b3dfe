#include "autograd/ops.h"
#include "python/binding/array.h"
#include "python/binding/bindings.h"
#include "python/binding/operand.h"
#include "python/binding/rows.h"

namespace glossa::python {

using nb::literals::operator""_a;

namespace {

/// Returns the table's row for each id, with the axes of `ids` first: table [V, D] -> [..., D].
Value embed(const Operand& table, const IdsLike& given) {
  const Ids ids = to_ids("embedding", given);
  return compute(
      "embedding",
      [&](auto& v) {
        const auto rows = embedding(v, ids.numbers);
        if (ids.extents.size() == 1) return rows;
        std::vector<Index> extents = ids.extents;
        extents.push_back(rows.shape().cols());
        return reshape(rows, Shape(extents));
      },
      table);
}

nb::tuple largest(const Operand& x, Index k) {
  std::vector<int> indices;
  Shape shape;
  const Value values = compute(
      "topk",
      [&](auto& v) {
        const auto top = topk(v, k);
        indices.assign(top.indices.begin(), top.indices.end());
        shape = top.values.shape();
        return top.values;
      },
      x);
  return nb::make_tuple(values, to_array(indices, shape));
}

template <class F>
void def_pool(nb::module_& m, const char* name, const char* doc, F f) {
  m.def(
      name,
      [name, f](const Operand& x, const RowsLike& given) {
        const Rows rows = to_rows(name, given);
        return compute(
            name, [&](auto& v) { return f(v, rows.layout_in(v.context())); }, x);
      },
      "x"_a, "rows"_a, doc);
}

}  // namespace

void add_selection(nb::module_& m) {
  m.def("embedding", embed, "table"_a, "ids"_a,
        "Rows of a table: table [V, D], ids [...] -> [..., D]. Gradients of repeated ids add up.");
  m.def(
      "index_select",
      [](const Operand& x, const IdsLike& indices) {
        const Ids ids = to_ids("index_select", indices);
        return compute(
            "index_select", [&](auto& v) { return index_select(v, ids.numbers); }, x);
      },
      "x"_a, "indices"_a, "Rows of x by index: x [N, D], M indices -> [M, D]");
  m.def(
      "embed_tokens",
      [](const Operand& table, const IdsLike& ids, const std::optional<Operand>& positions, const RowsLike& given,
         double factor, double dropout) {
        const Rows rows = to_rows("embed_tokens", given);
        const Ids tokens = to_ids("embed_tokens", ids);
        if (!positions)
          return compute(
              "embed_tokens",
              [&](auto& t) { return embed_tokens(t, tokens.numbers, factor, dropout, rows.layout_in(t.context())); },
              table);
        return compute(
            "embed_tokens",
            [&](auto& t, auto& p) {
              return embed_tokens(t, tokens.numbers, factor, p, dropout, rows.layout_in(t.context()));
            },
            table, *positions);
      },
      "table"_a, "ids"_a, "positions"_a.none(), "rows"_a, nb::kw_only(), "factor"_a = 1.0, "dropout"_a = 0.0,
      "factor * table[id] + positions[position of the row], then dropout: a Transformer's input in one pass. table "
      "[V, D], positions [P, D], N ids -> [N, D]. Without positions (None), only the first summand.");
  m.def(
      "gather",
      [](const Operand& x, const IdsLike& indices) {
        const Ids ids = to_ids("gather", indices);
        return compute(
            "gather", [&](auto& v) { return gather(v, ids.numbers); }, x);
      },
      "x"_a, "indices"_a, "y[..., j] = x[..., indices[..., j]] along the last axis");
  m.def("topk", largest, "x"_a, "k"_a,
        nb::sig("def topk(x: glossa.typing.Operand, k: int) -> tuple[Variable, glossa.typing.Indices]"),
        "The k largest elements of each row, largest first, and their indices: x [..., D] -> [..., k] each");
  def_pool(m, "mean_pool", "The mean of each sequence's rows, x [N, D] -> [B, D]; zeros for an empty sequence",
           [](auto& v, const RowLayout& layout) { return mean_pool(v, layout); });
  def_pool(m, "first_pool", "The first row of each sequence, x [N, D] -> [B, D]",
           [](auto& v, const RowLayout& layout) { return first_pool(v, layout); });
  def_pool(m, "last_pool", "The last row of each sequence, x [N, D] -> [B, D]",
           [](auto& v, const RowLayout& layout) { return last_pool(v, layout); });
  m.def(
      "masked_fill",
      [](const Operand& x, const FlagsLike& mask, double value) {
        const Flags flags = to_flags("masked_fill", mask);
        return compute(
            "masked_fill", [&](auto& v) { return masked_fill(v, flags.span(), value); }, x);
      },
      "x"_a, "mask"_a, "value"_a,
      "value where the mask is true, else x. The mask has the shape of x or of its trailing axes.");
  m.def(
      "where",
      [](const FlagsLike& condition, const Operand& a, const Operand& b) {
        const Flags flags = to_flags("where", condition);
        return compute(
            "where", [&](auto& v, auto& w) { return where(flags.span(), v, w); }, a, b);
      },
      "condition"_a, "a"_a, "b"_a, "a where the condition is true, else b; a and b broadcast");
}

}  // namespace glossa::python
