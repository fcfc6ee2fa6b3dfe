#pragma once

#include <functional>
#include <optional>

#include "layers/decoder_cache.h"
#include "layers/linear.h"
#include "layers/similarity.h"

namespace glossa {

// Multi-head attention (Vaswani et al. 2017, section 3.2.2):
//
//     Attention(Q, K, V) = softmax(Q K^T / sqrt(d_k)) V
//     MultiHead(Q, K, V) = Concat(head_1, ..., head_H) W^O
//     head_i = Attention(Q W_i^Q, K W_i^K, V W_i^V)
//
// The parameter in_proj_weight contains W_i^Q of all heads, then W_i^K, then W_i^V; out_proj.weight is W^O.
// AttentionHeads computes Concat(head_1, ..., head_H).
//
// D is the width of the model, H the number of heads, K the width of a head, G the number of heads of keys and values.
// G divides H, and H / G heads of queries share each head of keys and values (grouped-query attention, Ainslie et al.
// 2023). Parameters are as in PyTorch: SCOPE.in_proj_weight [(H + 2 G) K, D], SCOPE.in_proj_bias [(H + 2 G) K],
// SCOPE.out_proj.weight [D, H K], SCOPE.out_proj.bias [D] and that of the similarity. in_proj_weight is initialized as
// one matrix. The constructors throw an error that names the scope if head_width is not set and the number of heads
// does not divide the width. They also throw if key_heads does not divide `heads`. `mask` is additive (see
// additive_mask in layers/mask.h). `weights`, if given, receives the attention weights (see glossa::attention in
// autograd/ops.h).

/// Selects the attention projections that have a bias.
enum class AttentionBias { all, output, none };

/// Positions that self-attention computes itself. They replace the table of positions that is added to the embeddings.
enum class RelativePositions {
  none,
  rotary,  ///< rotates queries and keys (Su et al. 2021; glossa::rotary); only for even head widths, scaled_dot and dot
  alibi,   ///< lowers scores with the distance (Press et al. 2022; AttentionOptions); not for additive
};

struct AttentionLayerOptions {
  Index width, heads;
  Index key_heads = 0;   ///< G, heads of keys and values; must divide `heads`; 0 means `heads`
  Index head_width = 0;  ///< K; 0 means width / heads
  Similarity similarity = Similarity::scaled_dot;
  double dropout = 0;  ///< probability that an attention weight is dropped
  AttentionBias bias = AttentionBias::all;
  bool causal = false;
  RelativePositions relative_positions = RelativePositions::none;  ///< only for self-attention
  double rotary_base = 10000;                                      ///< finite and above 0
  Initializer weight_init = init::xavier_uniform();

  /// Total width of all heads, H K.
  Index inner_width() const { return head_width > 0 ? heads * head_width : width; }

  /// Total width of all heads of keys, or of values, G K.
  Index key_inner_width() const {
    return heads > 0 && key_heads > 0 ? inner_width() / heads * key_heads : inner_width();
  }
};

/// Similarities [N, S, H] of queries Q [N, 1, H, d] with keys K [N, S, H, d], for example Q K^T / sqrt(d_k).
template <class T>
using Similarities = std::function<Variable<T>(const Variable<T>& Q, const Variable<T>& K)>;

/// Attention(Q, K, V), one op for each step of the formula and with any similarity in place of Q K^T / sqrt(d_k). Query
/// n has its own S keys and values: Q [N, 1, H, d], K and V [N, S, H, d] -> [N, H, d]; with [1, S, H, d], all queries
/// share them. `mask` [N, 1, S] is added to the similarities. `weights`, if given, receives the weights [N, H, S]. The
/// op glossa::attention computes the same for q . k in one step, with less time and memory.
template <class T>
Variable<T> composed_attention(const Variable<T>& Q, const Variable<T>& K, const Variable<T>& V,
                               const Similarities<T>& similarity, const Variable<T>& mask, double dropout,
                               const RowLayout& layout, Tensor<const T>* weights = nullptr);

/// Concat(head_1, ..., head_H) of projected queries, keys and values. The similarity may have a trained parameter.
template <class T>
class AttentionHeads {
 public:
  AttentionHeads(ParameterStore<T>& store, const std::string& scope, const AttentionLayerOptions& options);

  /// queries [Nq, H K], keys_values [Nk, 2 G K] (keys and values side by side) -> [Nq, H K].
  Variable<T> operator()(const Variable<T>& queries, const Variable<T>& keys_values, const RowLayout& query,
                         const RowLayout& key, bool causal, const Tensor<T>* mask = nullptr,
                         Tensor<T>* weights = nullptr) const;

  /// qkv [N, (H + 2 G) K] (queries, keys and values side by side) -> [N, H K].
  Variable<T> operator()(const Variable<T>& qkv, const RowLayout& layout, bool causal, const Tensor<T>* mask = nullptr,
                         Tensor<T>* weights = nullptr) const;

  /// Readers of the projected queries, keys and values. The fused attention ops read them only in products. With a
  /// trained similarity, other ops read them as well.
  Use use_of_projections() const { return matrices_ || vectors_ ? Use::any : Use::products; }

 private:
  AttentionOptions options_;
  Parameter<T>*matrices_ = nullptr, *vectors_ = nullptr;  // set if the similarity is general or additive
};

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

  Linear<T> in_proj_, out_proj_;
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
  Linear<T> out_proj_;
  AttentionHeads<T> heads_;
  bool causal_;
};

}  // namespace glossa
