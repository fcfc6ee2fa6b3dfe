#pragma once

#include "layers/linear.h"

namespace glossa {

/// How alike a query q and a key k of one head, [K] each, are.
enum class Similarity {
  scaled_dot,  ///< q . k / sqrt(K) (Vaswani et al. 2017)
  dot,         ///< q . k
  general,     ///< q^T W k with a trained W [K, K] a head (Luong et al. 2015); starts as scaled_dot
  additive,    ///< v . tanh(q + k) with a trained v [K] a head (Bahdanau et al. 2015)
};

/// Which projections of attention have a bias.
enum class AttentionBias { all, output, none };

struct AttentionLayerOptions {
  Index width, heads;
  Index head_width = 0;  ///< K; 0: width / heads
  Similarity similarity = Similarity::scaled_dot;
  double dropout = 0;  ///< on the attention weights
  AttentionBias bias = AttentionBias::all;
  bool causal = false;
  Initializer weight_init = init::xavier_uniform();

  /// Width of all heads together, H K.
  Index inner_width() const { return head_width > 0 ? heads * head_width : width; }
};

/// Multi-head attention (Vaswani et al. 2017, section 3.2.2): project to queries, keys and values, attend per head,
/// join the heads, project back. Parameters as in PyTorch: SCOPE.in_proj_weight [3 H K, D] (rows of the query, key and
/// value projections), SCOPE.in_proj_bias [3 H K], SCOPE.out_proj.weight [D, H K], SCOPE.out_proj.bias [D]; beside
/// them SCOPE.similarity_weight [H, K, K] or SCOPE.similarity_vector [H, K], where the similarity is trained.
template <class T>
class MultiHeadAttention {
 public:
  /// Where queries, keys and values come from decides how the packed projection is used.
  enum class Kind { self, cross };

  /// Throws, naming `scope`, unless the heads divide the width or have a width of their own.
  MultiHeadAttention(ParameterStore<T>& store, const std::string& scope, Kind kind,
                     const AttentionLayerOptions& options);

  /// Self-attention: x [N, D] -> [N, D]. `weights`, if given, receives the attention weights (see glossa::attention).
  Variable<T> operator()(const Variable<T>& x, const RowLayout& layout, const Tensor<T>* mask = nullptr,
                         Tensor<T>* weights = nullptr) const;

  /// Cross-attention: queries from x [Nq, D], keys and values from memory [Nk, D].
  Variable<T> operator()(const Variable<T>& x, const RowLayout& layout, const Variable<T>& memory,
                         const RowLayout& memory_layout, const Tensor<T>* mask = nullptr,
                         Tensor<T>* weights = nullptr) const;

  // The pieces, for decoding with a cache:

  /// Self: the packed projection [N, 3 H K] of x.
  Variable<T> project(const Variable<T>& x) const;

  /// Cross: keys and values [Nk, 2 H K] of the memory.
  Variable<T> project_memory(const Variable<T>& memory) const;

  /// Cross: attend with keys and values projected before.
  Variable<T> attend_projected(const Variable<T>& x, const RowLayout& layout, const Variable<T>& keys_values,
                               const RowLayout& key_layout, const Tensor<T>* mask = nullptr,
                               Tensor<T>* weights = nullptr) const;

  /// Self: attend with the queries of packed projections qkv [N, 3 H K] to cached keys and values [C, 2 H K].
  Variable<T> attend_cached(const Variable<T>& qkv, const RowLayout& layout, const Variable<T>& keys_values,
                            const RowLayout& key_layout) const;

 private:
  struct Projection {
    Parameter<T>* weight = nullptr;
    Parameter<T>* bias = nullptr;
    Variable<T> operator()(const Variable<T>& x) const;
  };

  /// Queries [Nq, H K] to keys and values [Nk, 2 H K] by the layer's similarity -> joined heads [Nq, H K].
  Variable<T> attend(const Variable<T>& queries, const Variable<T>& keys_values, const RowLayout& query,
                     const RowLayout& key, const AttentionOptions& options, const Tensor<T>* mask,
                     Tensor<T>* weights) const;

  Projection queries_keys_values_;    // self
  Projection queries_, keys_values_;  // cross
  Linear<T> out_proj_;
  AttentionOptions options_;
  Similarity similarity_;
  Parameter<T>* similarity_parameter_ = nullptr;  // of general and additive
};

}  // namespace glossa
