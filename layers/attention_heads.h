#pragma once

#include "layers/linear.h"

namespace glossa {

/// Similarity of a query q [K] and a key k [K] of one head.
enum class Similarity {
  scaled_dot,  ///< q . k / sqrt(K) (Vaswani et al. 2017)
  dot,         ///< q . k
  general,     ///< q^T W k, a trained W [K, K] per head (Luong et al. 2015); starts as scaled_dot
  additive,    ///< v . tanh(q + k), a trained v [K] per head (Bahdanau et al. 2015)
};

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

/// Multi-head attention after its input projections (Vaswani et al. 2017, section 3.2.2): attends per head with the
/// layer's similarity, joins the heads, projects back. With key_heads, groups of heads share keys and values (Ainslie
/// et al. 2023). Parameters: SCOPE.out_proj.weight [D, H K] and SCOPE.out_proj.bias [D]. A trained similarity adds
/// SCOPE.similarity_weight [H, K, K] or SCOPE.similarity_vector [H, K].
template <class T>
class AttentionHeads {
 public:
  /// Throws an error that names `scope` if head_width is not set and the number of heads does not divide the width.
  /// Also throws if key_heads does not divide `heads`.
  AttentionHeads(ParameterStore<T>& store, const std::string& scope, const AttentionLayerOptions& options);

  /// queries [Nq, H K], keys_values [Nk, 2 G K] (keys and values side by side) -> [Nq, D]. `mask` and `weights` are as
  /// for glossa::attention in autograd/ops.h.
  Variable<T> operator()(const Variable<T>& queries, const Variable<T>& keys_values, const RowLayout& query,
                         const RowLayout& key, bool causal, const Tensor<T>* mask = nullptr,
                         Tensor<T>* weights = nullptr) const;

  /// qkv [N, (H + 2 G) K] (queries, keys and values side by side) -> [N, D].
  Variable<T> operator()(const Variable<T>& qkv, const RowLayout& layout, bool causal, const Tensor<T>* mask = nullptr,
                         Tensor<T>* weights = nullptr) const;

  /// Readers of the projected queries, keys and values. The fused attention ops read them only in products. With a
  /// trained similarity, other ops read them as well.
  Use use_of_projections() const { return similarity_parameter_ ? Use::any : Use::products; }

 private:
  AttentionOptions attention_options(bool causal) const;

  Linear<T> out_proj_;
  AttentionOptions options_;
  Similarity similarity_;
  Parameter<T>* similarity_parameter_ = nullptr;  // set for general and additive
};

}  // namespace glossa
