#pragma once

#include "layers/attention.h"
#include "layers/attention_weights.h"
#include "layers/residual.h"
#include "layers/stack.h"

namespace glossa {

/// One layer of the decoder (Vaswani et al. 2017, figure 1, right): causal self-attention, cross-attention to the
/// memory (the encoder's output), feed-forward. Parameters: SCOPE.self_attn.*, SCOPE.multihead_attn.*, SCOPE.linear1.*,
/// SCOPE.linear2.*, SCOPE.norm1.* to SCOPE.norm3.*.
template <class T>
class DecoderLayer {
 public:
  DecoderLayer(ParameterStore<T>& store, const std::string& scope, const StackOptions& options);

  /// x [Nt, D], memory [Ns, D] -> [Nt, D]. `weights`, if given, receives the weights of both attentions.
  Variable<T> operator()(const Variable<T>& x, const RowLayout& layout, const Variable<T>& memory,
                         const RowLayout& memory_layout, AttentionWeights<T>* weights = nullptr) const;

  /// Keys and values [Ns, 2 G K] of the memory for cross-attention.
  Variable<T> project_memory(const Variable<T>& memory) const { return cross_attention_.project_memory(memory); }

  /// Decodes the next token of each target row (see DecoderCache): x [R, D] -> [R, D]. `own` is this layer's cache.
  Variable<T> step(const Variable<T>& x, const DecoderCache<T>& cache, LayerCache<T>& own,
                   const CacheLayout& layout) const;

 private:
  SelfAttention<T> self_attention_;
  CrossAttention<T> cross_attention_;
  FeedForward<T> feed_forward_;
  Residual<T> residual1_, residual2_, residual3_;
};

/// The decoder: a stack of layers.
template <class T>
class Decoder {
 public:
  Decoder(ParameterStore<T>& store, const std::string& scope, const StackOptions& options)
      : stack_(store, scope, options) {}

  /// Embedded target [Nt, D], memory [Ns, D] -> states [Nt, D]. `weights`, if given, receives each layer's attention
  /// weights.
  Variable<T> operator()(const Variable<T>& x, const RowLayout& layout, const Variable<T>& memory,
                         const RowLayout& memory_layout, AttentionWeights<T>* weights = nullptr) const {
    return stack_(x, layout, memory, memory_layout, weights);
  }

  /// Starts `cache` for `rows` targets of at most `capacity` tokens each, and computes every layer's keys and values of
  /// the memory.
  void start(DecoderCache<T>& cache, const Variable<T>& memory, const RowLayout& memory_layout, Index rows,
             Index capacity) const;

  /// Decodes the next token of each target row: embedded tokens [R, D] -> states [R, D]. The cache grows by one
  /// position. For inference only: no gradient flows into the past.
  Variable<T> step(const Variable<T>& x, DecoderCache<T>& cache) const { return stack_.step(x, cache); }

 private:
  Stack<T, DecoderLayer<T>> stack_;
};

}  // namespace glossa
