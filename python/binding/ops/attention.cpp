#include "autograd/ops.h"
#include "python/binding/attend.h"
#include "python/binding/bindings.h"

namespace glossa::python {

using nb::literals::operator""_a;

namespace {

using MaybeMask = std::optional<Operand>;

constexpr const char* doc =
    "softmax(scale q k^T + mask) v per sequence and head (Vaswani et al. 2017, section 3.2): q [Nq, H K], k [Nk, G K], "
    "v [Nk, G Kv] -> [Nq, H Kv]. H is heads; G is key_heads, or H if it is 0: H / G heads of q share a head of k and v "
    "(Ainslie et al. 2023). Sequence b of `query` attends to sequence b of `key`. scale 0 means 1/sqrt(K). alibi: "
    "scores fall with the distance of query and key (Press et al. 2022). The mask [T, S] is added to every sequence's "
    "scores; of bool, true blocks a key. With need_weights also returns the weights after softmax and before dropout, "
    "an array [H, Tq, Tk] per sequence.";

nb::any attention_of(const Operand& q, const Operand& k, const Operand& v, const RowsLike& query, const RowsLike& key,
                     Index heads, Index key_heads, bool causal, double dropout, double scale, bool alibi,
                     const MaybeMask& mask, bool need_weights) {
  const Operand operands[] = {q, k, v};
  const char* op = "attention";
  return attend({op, to_rows(op, query), to_rows(op, key), heads, mask, need_weights}, operands,
                [&](auto x, const RowLayout& from, const RowLayout& to, auto* masked, auto* weights) {
                  return attention(x[0], x[1], x[2], from, to, {heads, key_heads, causal, dropout, scale, alibi},
                                   masked, weights);
                });
}

nb::any self_attention_of(const Operand& qkv, const RowsLike& rows, Index heads, Index key_heads, bool causal,
                          double dropout, double scale, bool alibi, const MaybeMask& mask, bool need_weights) {
  const char* op = "self_attention";
  return attend(
      {op, to_rows(op, rows), to_rows(op, rows), heads, mask, need_weights}, {&qkv, 1},
      [&](auto x, const RowLayout& layout, const RowLayout&, auto* masked, auto* weights) {
        return self_attention(x[0], layout, {heads, key_heads, causal, dropout, scale, alibi}, masked, weights);
      });
}

nb::any cross_attention_of(const Operand& q, const Operand& kv, const RowsLike& query, const RowsLike& key, Index heads,
                           Index key_heads, bool causal, double dropout, double scale, bool alibi,
                           const MaybeMask& mask, bool need_weights) {
  const Operand operands[] = {q, kv};
  const char* op = "cross_attention";
  return attend({op, to_rows(op, query), to_rows(op, key), heads, mask, need_weights}, operands,
                [&](auto x, const RowLayout& from, const RowLayout& to, auto* masked, auto* weights) {
                  return cross_attention(x[0], x[1], from, to, {heads, key_heads, causal, dropout, scale, alibi},
                                         masked, weights);
                });
}

}  // namespace

void add_attention(nb::module_& m) {
  m.def(
      "rotary",
      [](const Operand& x, const RowsLike& given, Index head_width, std::optional<Index> columns, double base) {
        const Rows rows = to_rows("rotary", given);
        return compute(
            "rotary",
            [&](auto& v) {
              return rotary(v, rows.layout_in(v.context()), head_width, columns.value_or(v.shape().cols()), base);
            },
            x);
      },
      "x"_a, "rows"_a, "head_width"_a, "columns"_a = nb::none(), nb::kw_only(), "base"_a = 10000.0,
      "Rotary positions (Su et al. 2021): at position p of a sequence, columns 2i and 2i + 1 of each head turn by the "
      "angle p base^(-2i/K), x [N, D] -> [N, D]. The first `columns` columns, or all, are heads of K = head_width "
      "columns; the others are copied.");
  m.def("attention", attention_of, "q"_a, "k"_a, "v"_a, "query"_a, "key"_a, nb::kw_only(), "heads"_a = 1,
        "key_heads"_a = 0, "causal"_a = false, "dropout"_a = 0.0, "scale"_a = 0.0, "alibi"_a = false,
        "mask"_a = nb::none(), "need_weights"_a = false, doc);
  m.def("self_attention", self_attention_of, "qkv"_a, "rows"_a, nb::kw_only(), "heads"_a = 1, "key_heads"_a = 0,
        "causal"_a = false, "dropout"_a = 0.0, "scale"_a = 0.0, "alibi"_a = false, "mask"_a = nb::none(),
        "need_weights"_a = false,
        "attention() of queries, keys and values side by side in one matrix: qkv [N, (H + 2 G) K] -> [N, H K]");
  m.def("cross_attention", cross_attention_of, "q"_a, "kv"_a, "query"_a, "key"_a, nb::kw_only(), "heads"_a = 1,
        "key_heads"_a = 0, "causal"_a = false, "dropout"_a = 0.0, "scale"_a = 0.0, "alibi"_a = false,
        "mask"_a = nb::none(), "need_weights"_a = false,
        "attention() of keys and values side by side in one matrix: q [Nq, H K], kv [Nk, 2 G K] -> [Nq, H K]");
}

}  // namespace glossa::python
