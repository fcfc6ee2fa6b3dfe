#pragma once

#include <optional>
#include <vector>

#include "layers/stack_options.h"

namespace glossa {

/// One layer of the encoder (Vaswani et al. 2017, figure 1, left): self-attention, then feed-forward.
/// Parameters: SCOPE.self_attn.*, SCOPE.linear1.*, SCOPE.linear2.*, SCOPE.norm1.*, SCOPE.norm2.*.
template <class T>
class EncoderLayer {
 public:
  EncoderLayer(ParameterStore<T>& store, const std::string& scope, const StackOptions& options);

  /// x [N, D] -> [N, D].
  Variable<T> operator()(const Variable<T>& x, const RowLayout& layout) const;

 private:
  MultiHeadAttention<T> self_attention_;
  FeedForward<T> feed_forward_;
  Residual<T> residual1_, residual2_;
};

/// The encoder: its layers in a row, then a final norm if there is one (SCOPE.norm.*).
template <class T>
class Encoder {
 public:
  Encoder(ParameterStore<T>& store, const std::string& scope, const StackOptions& options);

  /// Embedded source [N, D] -> memory [N, D].
  Variable<T> operator()(Variable<T> x, const RowLayout& layout) const;

 private:
  std::vector<EncoderLayer<T>> layers_;
  std::optional<LayerNorm<T>> norm_;
};

}  // namespace glossa
