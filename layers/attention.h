#pragma once

#include <optional>

#include "layers/attention_heads.h"
#include "layers/decoder_cache.h"

namespace glossa {

// Multi-head attention (Vaswani et al. 2017, section 3.2.2): project to queries, keys and values, attend per head, join
// the heads, project back. D is the width of the model, H the number of heads, K the width of a head, G the number of
// heads of keys and values. G divides H, and H / G heads of queries share each head of keys and values (grouped-query
// attention, Ainslie et al. 2023). Parameters are as in PyTorch: SCOPE.in_proj_weight [(H + 2 G) K, D],
// SCOPE.in_proj_bias [(H + 2 G) K], and the parameters of AttentionHeads. The rows of the in_proj parameters belong to
// the queries, then the keys, then the values; they are initialized as one matrix. The constructors throw an error that
// names the scope if head_width is not set and the number of heads does not divide the width. They also throw if
// key_heads does not divide `heads`. `mask` is additive (see additive_mask in layers/mask.h). `weights`, if given,
// receives the attention weights (see glossa::attention in autograd/ops.h).

/// Self-attention: queries, keys and values all come from one variable.
template <class T>
class SelfAttention {
 public:
  /// Throws an error that names `scope` if the relative positions do not allow the similarity, the head width or
  /// rotary_base.
  SelfAttention(ParameterStore<T>& store, const std::string& scope, const AttentionLayerOptions& options);

  /// x [N, D] -> [N, D].
  Variable<T> operator()(const Variable<T>& x, const RowLayout& layout, const Tensor<T>* mask = nullptr,
                         Tensor<T>* weights = nullptr) const;

  /// Queries, keys and values of x, side by side, before rotary positions: [N, (H + 2 G) K].
  Variable<T> project(const Variable<T>& x) const { return in_proj_(x); }

  /// Decodes the next token of each target row (see DecoderCache): x [R, D] -> [R, D]. First adds the token's key and
  /// value to the past in `own`, then attends to that past, which includes the token itself. For inference only: no
  /// gradient flows into the past.
  Variable<T> step(const Variable<T>& x, const DecoderCache<T>& cache, LayerCache<T>& own,
                   const CacheLayout& layout) const;

 private:
  /// Queries, keys and values, with rotary positions if the layer has them.
  Variable<T> project_at(const Variable<T>& x, const RowLayout& layout, Use use) const;

  Linear<T> in_proj_;
  AttentionHeads<T> heads_;
  bool causal_;
  Index head_width_, queries_and_keys_;  // K; number of columns of queries and keys, (H + G) K
  std::optional<double> rotary_base_;
};

/// Cross-attention: queries come from one variable; keys and values come from the memory, which is the encoder's
/// output. It ignores the option of relative positions.
template <class T>
class CrossAttention {
 public:
  CrossAttention(ParameterStore<T>& store, const std::string& scope, const AttentionLayerOptions& options);

  /// x [Nq, D], memory [Nk, D] -> [Nq, D].
  Variable<T> operator()(const Variable<T>& x, const RowLayout& layout, const Variable<T>& memory,
                         const RowLayout& memory_layout, const Tensor<T>* mask = nullptr,
                         Tensor<T>* weights = nullptr) const;

  /// Keys and values [Nk, 2 G K] of the memory.
  Variable<T> project_memory(const Variable<T>& memory) const {
    return keys_values_(memory, heads_.use_of_projections());
  }

  /// Decodes the next token of each target row: x [R, D] -> [R, D]. Attends to the projected memory in `own`.
  Variable<T> step(const Variable<T>& x, const DecoderCache<T>& cache, LayerCache<T>& own,
                   const CacheLayout& layout) const;

 private:
  Linear<T> in_proj_, queries_, keys_values_;  // the joint projection and its two parts; only the parts are applied
  AttentionHeads<T> heads_;
  bool causal_;
};

}  // namespace glossa
