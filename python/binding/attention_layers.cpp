#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>

#include "layers/attention.h"
#include "python/binding/attend.h"
#include "python/binding/bindings.h"
#include "python/binding/layer.h"
#include "python/binding/layer_options.h"

namespace glossa::python {

using nb::literals::operator""_a;

namespace {

using OptionalMask = std::optional<Operand>;

using BoundSelfAttention = BoundHeads<SelfAttention>;
using BoundCrossAttention = BoundHeads<CrossAttention>;

nb::any attend_to_self(const BoundSelfAttention& attention, const Operand& x, const RowsLike& rows,
                       const OptionalMask& mask, bool need_weights) {
  const Rows layout = to_rows("SelfAttention", rows);
  const AttentionCall call{"SelfAttention", layout, layout, attention.heads, mask, need_weights};
  return attention.layer.in_step(call.op, [&]<class T>(const SelfAttention<T>& layer, const auto& step) {
    return attend_in<T>(step, call, {&x, 1},
                        [&](auto v, const RowLayout& layout, const RowLayout&, auto* masked, auto* weights) {
                          return layer(v[0], layout, masked, weights);
                        });
  });
}

nb::any attend_to_memory(const BoundCrossAttention& attention, const Operand& x, const RowsLike& rows,
                         const Operand& memory, const RowsLike& memory_rows, const OptionalMask& mask,
                         bool need_weights) {
  const char* name = "CrossAttention";
  const AttentionCall call{name, to_rows(name, rows), to_rows(name, memory_rows), attention.heads, mask, need_weights};
  const Operand operands[] = {x, memory};
  return attention.layer.in_step(call.op, [&]<class T>(const CrossAttention<T>& layer, const auto& step) {
    return attend_in<T>(step, call, operands,
                        [&](auto v, const RowLayout& from, const RowLayout& to, auto* masked, auto* weights) {
                          return layer(v[0], from, v[1], to, masked, weights);
                        });
  });
}

nb::any attend_additively(const Operand& q, const Operand& kv, const Operand& vector, const RowsLike& query,
                          const RowsLike& key, Index key_heads, bool causal, double dropout, double scale,
                          const OptionalMask& mask, bool need_weights) {
  const Operand operands[] = {q, kv, vector};
  const char* op = "additive_attention";
  const std::shared_ptr<Step> step = Step::current(op);
  return with_type(common_precision(operands), [&](auto type) {
    using T = decltype(type);
    const Shape heads = as_variable<T>(op, *step, vector).shape();
    if (heads.rank() != 2) misuse(op, "expected a vector [H, K]; got shape {}", heads);
    const AttentionCall call{op, to_rows(op, query), to_rows(op, key), heads[0], mask, need_weights};
    return attend_in<T>(step, call, operands,
                        [&](auto v, const RowLayout& from, const RowLayout& to, auto* masked, auto* weights) {
                          return additive_attention(v[0], v[1], v[2], from, to,
                                                    {heads[0], key_heads, causal, dropout, scale}, masked, weights);
                        });
  });
}

}  // namespace

void add_attention_layers(nb::module_& m) {
  class_of_heads<SelfAttention>(m, "BoundSelfAttention", "SelfAttention", to_attention_options)
      .def("__call__", attend_to_self, "x"_a, "rows"_a, "mask"_a = nb::none(), "need_weights"_a = false);
  class_of_heads<CrossAttention>(m, "BoundCrossAttention", "CrossAttention", to_attention_options)
      .def("__call__", attend_to_memory, "x"_a, "rows"_a, "memory"_a, "memory_rows"_a, "mask"_a = nb::none(),
           "need_weights"_a = false);
  m.def("additive_attention", attend_additively, "q"_a, "kv"_a, "vector"_a, "query"_a, "key"_a, nb::kw_only(),
        "key_heads"_a = 0, "causal"_a = false, "dropout"_a = 0.0, "scale"_a = 0.0, "mask"_a = nb::none(),
        "need_weights"_a = false,
        "Attention with the scores v_h . tanh(q_i + k_j) (Bahdanau et al. 2015): q [Nq, H K], kv [Nk, 2 G K] (keys, "
        "then values), vector [H, K] -> [Nq, H K]. scale 0 means 1; the rest is as in attention().");
}

}  // namespace glossa::python
