#include "layers/attention.h"

#include <cmath>

namespace glossa {

template <class T>
Variable<T> composed_attention(const Variable<T>& Q, const Variable<T>& K, const Variable<T>& V,
                               const Similarities<T>& similarity, const Variable<T>& mask, double p,
                               const RowLayout& layout, Tensor<const T>* weights) {
  // Attention(Q, K, V) = softmax(Q K^T / sqrt(d_k)) V
  const Index queries = Q.shape()[0], keys = K.shape()[1], heads = K.shape()[2];
  const Variable<T> scores = transpose(similarity(Q, K), 1, 2);  // Q K^T / sqrt(d_k), [N, H, S]
  const Variable<T> attended = softmax(add(scores, mask));       // softmax(...)
  if (weights) *weights = attended.value();
  // Key j and head h have column j * heads + h for any S, so a sequence draws the same dropout mask in any batch.
  const Variable<T> kept = dropout(reshape(transpose(attended, 1, 2), {queries, keys * heads}), p, layout);
  return sum(mul(reshape(kept, {queries, keys, heads, 1}), V), 1);  // softmax(...) V, [N, H, d]
}

/// Computes q W per head, which turns attention's q . k into q^T W k: q [N, H K], weight [H, K, K] -> [N, H K].
template <class T>
static Variable<T> transform_queries(const Variable<T>& q, const Variable<T>& weight) {
  const Index heads = weight.shape()[0], width = weight.shape()[1];
  const Variable<T> per_head = transpose(reshape(q, {q.shape().rows(), heads, width}), 0, 1);
  return reshape(transpose(matmul(per_head, weight), 0, 1), q.shape());
}

// Concat(head_1, ..., head_H); the ops cross_attention and self_attention compute Attention for all heads at once.
template <class T>
Variable<T> AttentionHeads<T>::operator()(const Variable<T>& queries, const Variable<T>& keys_values,
                                          const RowLayout& query, const RowLayout& key, bool causal,
                                          const Tensor<T>* mask, Tensor<T>* weights) const {
  AttentionOptions options = options_;
  options.causal = causal;
  Context<T>& c = queries.context();
  if (vectors_)
    return additive_attention(queries, keys_values, c.parameter(*vectors_), query, key, options, mask, weights);
  const Variable<T> q = matrices_ ? transform_queries(queries, c.parameter(*matrices_)) : queries;
  return cross_attention(q, keys_values, query, key, options, mask, weights);
}

template <class T>
Variable<T> AttentionHeads<T>::operator()(const Variable<T>& qkv, const RowLayout& layout, bool causal,
                                          const Tensor<T>* mask, Tensor<T>* weights) const {
  AttentionOptions options = options_;
  options.causal = causal;
  if (!matrices_ && !vectors_) return self_attention(qkv, layout, options, mask, weights);
  const Index cols = qkv.shape().cols(), inner = cols / (options.heads + 2 * options.groups()) * options.heads;
  return (*this)(slice(qkv, 1, 0, inner), slice(qkv, 1, inner, cols), layout, layout, causal, mask, weights);
}

template <class T>
Variable<T> SelfAttention<T>::project_at(const Variable<T>& x, const RowLayout& layout, Use use) const {
  const Variable<T> qkv = in_proj_(x, use);
  if (!rotary_base_) return qkv;
  return rotary(qkv, layout, head_width_, queries_and_keys_, *rotary_base_, use);
}

template <class T>
Variable<T> SelfAttention<T>::operator()(const Variable<T>& x, const RowLayout& layout, const Tensor<T>* mask,
                                         Tensor<T>* weights) const {
  // MultiHead(x, x, x) = Concat(head_1, ..., head_H) W^O
  const Variable<T> qkv = project_at(x, layout, heads_.use_of_projections());  // x W^Q, x W^K, x W^V
  return out_proj_(heads_(qkv, layout, causal_, mask, weights));
}

template <class T>
Variable<T> CrossAttention<T>::operator()(const Variable<T>& x, const RowLayout& layout, const Variable<T>& memory,
                                          const RowLayout& memory_layout, const Tensor<T>* mask,
                                          Tensor<T>* weights) const {
  // MultiHead(x, memory, memory) = Concat(head_1, ..., head_H) W^O
  const Variable<T> keys_values = project_memory(memory), queries = queries_(x, heads_.use_of_projections());
  return out_proj_(heads_(queries, keys_values, layout, memory_layout, causal_, mask, weights));
}

// ---- step by step, with the keys and values of earlier steps ----

template <class T>
Variable<T> SelfAttention<T>::step(const Variable<T>& x, const DecoderCache<T>& cache, LayerCache<T>& own,
                                   const CacheLayout& layout) const {
  const Variable<T> qkv = project_at(x, layout.query, Use::any);
  check(!qkv.requires_grad(), "attention.step", "expected a step without recording; got one with it");
  cache.append(own, qkv.value());
  const Variable<T> past = x.context().constant({own.past.data(), {layout.past.rows, 2 * cache.width()}});
  const Variable<T> queries = slice(qkv, 1, 0, qkv.shape().cols() - 2 * cache.width());
  // No causal mask is needed, because the past ends with the query's own position.
  return out_proj_(heads_(queries, past, layout.query, layout.past, /*causal=*/false));
}

template <class T>
Variable<T> CrossAttention<T>::step(const Variable<T>& x, const DecoderCache<T>& cache, LayerCache<T>& own,
                                    const CacheLayout& layout) const {
  check(!causal_, "attention.step", "expected a layer without a causal mask; got a causal one");
  const Variable<T> memory = x.context().constant({own.memory.data(), {layout.memory.rows, 2 * cache.width()}});
  return out_proj_(heads_(queries_(x), memory, layout.readers, layout.memory, /*causal=*/false));
}

// ---- parameters ----

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

#define GLOSSA_INSTANTIATE(T)                                                                                   \
  template Variable<T> composed_attention(const Variable<T>&, const Variable<T>&, const Variable<T>&,           \
                                          const Similarities<T>&, const Variable<T>&, double, const RowLayout&, \
                                          Tensor<const T>*);                                                    \
  template class AttentionHeads<T>;                                                                             \
  template class SelfAttention<T>;                                                                              \
  template class CrossAttention<T>;
GLOSSA_INSTANTIATE(float)
GLOSSA_INSTANTIATE(double)
#undef GLOSSA_INSTANTIATE

}  // namespace glossa
