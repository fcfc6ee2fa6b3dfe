#pragma once

#include "layers/linear.h"

namespace glossa {

/// Multi-head attention (Vaswani et al. 2017, section 3.2.2): project to queries, keys and values, attend per head,
/// join the heads, project back. Parameters as in PyTorch: SCOPE.in_proj_weight [3D, D] (rows of the query, key and
/// value projections), SCOPE.in_proj_bias [3D], SCOPE.out_proj.weight [D, D], SCOPE.out_proj.bias [D].
template <class T>
class MultiHeadAttention {
 public:
  struct Options {
    Index width, heads;
    double dropout = 0;  // on the attention weights
    bool bias = true;
    bool causal = false;
  };

  /// Where queries, keys and values come from decides how the packed projection is used.
  enum class Kind { self, cross };

  MultiHeadAttention(ParameterStore<T>& store, const std::string& scope, Kind kind, const Options& options);

  /// Self-attention: x [N, D] -> [N, D]. `weights`, if given, receives the attention weights (see glossa::attention).
  Variable<T> operator()(const Variable<T>& x, const RowLayout& layout, const Tensor<T>* mask = nullptr,
                         Tensor<T>* weights = nullptr) const;

  /// Cross-attention: queries from x [Nq, D], keys and values from memory [Nk, D].
  Variable<T> operator()(const Variable<T>& x, const RowLayout& layout, const Variable<T>& memory,
                         const RowLayout& memory_layout, const Tensor<T>* mask = nullptr,
                         Tensor<T>* weights = nullptr) const;

  // The pieces, for decoding with a cache:

  /// Self: the packed projection [N, 3D] of x.
  Variable<T> project(const Variable<T>& x) const;

  /// Cross: keys and values [Nk, 2D] of the memory.
  Variable<T> project_memory(const Variable<T>& memory) const;

  /// Cross: attend with keys and values projected before.
  Variable<T> attend_projected(const Variable<T>& x, const RowLayout& layout, const Variable<T>& keys_values,
                               const RowLayout& key_layout, const Tensor<T>* mask = nullptr,
                               Tensor<T>* weights = nullptr) const;

  /// Self: attend with queries q [N, D] to cached keys and values [C, 2D].
  Variable<T> attend_cached(const Variable<T>& queries, const RowLayout& layout, const Variable<T>& keys_values,
                            const RowLayout& key_layout) const;

 private:
  struct Projection {
    Parameter<T>* weight = nullptr;
    Parameter<T>* bias = nullptr;
    Variable<T> operator()(const Variable<T>& x) const;
  };

  Projection queries_keys_values_;    // self
  Projection queries_, keys_values_;  // cross
  Linear<T> out_proj_;
  AttentionOptions options_;
};

}  // namespace glossa
