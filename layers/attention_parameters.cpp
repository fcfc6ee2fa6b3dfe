#include <cmath>

#include "layers/attention.h"

namespace glossa {

namespace {

template <class T>
Linear<T> declare_in_proj(ParameterStore<T>& store, const std::string& scope, const AttentionLayerOptions& o) {
  const Index rows = o.inner_width() + 2 * o.key_inner_width();
  Parameter<T>& weight = store.declare(in_scope(scope, "in_proj_weight"), {rows, o.width}, o.weight_init);
  weight.is_matrix = true;
  if (o.bias != AttentionBias::all) return {weight, nullptr};
  return {weight, &store.declare(in_scope(scope, "in_proj_bias"), {rows}, init::constant(0))};
}

template <class T>
Linear<T> declare_out_proj(ParameterStore<T>& store, const std::string& scope, const AttentionLayerOptions& o) {
  return Linear<T>(
      store, in_scope(scope, "out_proj"), o.inner_width(), o.width,
      {.bias = o.bias != AttentionBias::none, .weight_init = o.weight_init, .bias_init = init::constant(0)});
}

/// Throws unless self-attention supports the relative positions in its options.
void check_relative_positions(const std::string& scope, const AttentionLayerOptions& o, Index head_width) {
  const std::string where = scope.empty() ? "attention" : scope;
  check(o.relative_positions != RelativePositions::alibi || o.similarity != Similarity::additive, where,
        "expected a similarity other than additive with the positions alibi; got additive");
  if (o.relative_positions != RelativePositions::rotary) return;
  check(o.similarity == Similarity::scaled_dot || o.similarity == Similarity::dot, where,
        "expected the similarity scaled_dot or dot with rotary positions; got another");
  check(head_width % 2 == 0, where, "expected heads of an even width with rotary positions; got {}", head_width);
  check(std::isfinite(o.rotary_base) && o.rotary_base > 0, where, "expected a finite rotary_base above 0; got {}",
        o.rotary_base);
}

AttentionLayerOptions without_positions(AttentionLayerOptions o) {
  o.relative_positions = RelativePositions::none;
  return o;
}

}  // namespace

template <class T>
AttentionHeads<T>::AttentionHeads(ParameterStore<T>& store, const std::string& scope, const AttentionLayerOptions& o)
    : options_{.heads = o.heads,
               .key_heads = o.key_heads,
               .dropout = o.dropout,
               .scale = o.similarity == Similarity::scaled_dot ? 0.0 : 1.0,
               .alibi = o.relative_positions == RelativePositions::alibi} {
  const std::string where = scope.empty() ? "attention" : scope;
  check(o.heads >= 1 && o.head_width >= 0 && (o.head_width > 0 || o.width % o.heads == 0), where,
        "expected heads that divide the width {}; got {}", o.width, o.heads);
  check(o.key_heads >= 0 && o.heads % options_.groups() == 0, where,
        "expected key_heads that divide the {} heads, or 0; got {}", o.heads, o.key_heads);
  const Index width = o.inner_width() / o.heads;
  const double deviation = 1 / std::sqrt(static_cast<double>(width));
  if (o.similarity == Similarity::general)
    matrices_ =
        &store.declare(in_scope(scope, "similarity_weight"), {o.heads, width, width}, init::diagonal(deviation));
  if (o.similarity == Similarity::additive)
    vectors_ = &store.declare(in_scope(scope, "similarity_vector"), {o.heads, width}, init::normal(deviation));
}

template <class T>
SelfAttention<T>::SelfAttention(ParameterStore<T>& store, const std::string& scope, const AttentionLayerOptions& o)
    : in_proj_(declare_in_proj(store, scope, o)),
      out_proj_(declare_out_proj(store, scope, o)),
      heads_(store, scope, o),
      causal_(o.causal),
      head_width_(o.inner_width() / o.heads),
      queries_and_keys_(o.inner_width() + o.key_inner_width()) {
  check_relative_positions(scope, o, head_width_);
  if (o.relative_positions == RelativePositions::rotary) rotary_base_ = o.rotary_base;
}

template <class T>
CrossAttention<T>::CrossAttention(ParameterStore<T>& store, const std::string& scope, const AttentionLayerOptions& o)
    : in_proj_(declare_in_proj(store, scope, o)),
      queries_(in_proj_.part(store, 0, o.inner_width())),
      keys_values_(in_proj_.part(store, o.inner_width(), o.inner_width() + 2 * o.key_inner_width())),
      out_proj_(declare_out_proj(store, scope, o)),
      heads_(store, scope, without_positions(o)),
      causal_(o.causal) {}

#define GLOSSA_INSTANTIATE(T)                                                                                       \
  template AttentionHeads<T>::AttentionHeads(ParameterStore<T>&, const std::string&, const AttentionLayerOptions&); \
  template SelfAttention<T>::SelfAttention(ParameterStore<T>&, const std::string&, const AttentionLayerOptions&);   \
  template CrossAttention<T>::CrossAttention(ParameterStore<T>&, const std::string&, const AttentionLayerOptions&);
GLOSSA_INSTANTIATE(float)
GLOSSA_INSTANTIATE(double)
#undef GLOSSA_INSTANTIATE

}  // namespace glossa
