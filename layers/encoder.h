#pragma once

#include "layers/attention.h"
#include "layers/attention_weights.h"
#include "layers/residual.h"
#include "layers/stack.h"

namespace glossa {

/// One layer of the encoder (Vaswani et al. 2017, figure 1, left): self-attention (causal if options.causal), then
/// feed-forward. Parameters: SCOPE.self_attn.*, SCOPE.linear1.*, SCOPE.linear2.*, SCOPE.norm1.*, SCOPE.norm2.*.
template <class T>
class EncoderLayer {
 public:
  EncoderLayer(ParameterStore<T>& store, const std::string& scope, const StackOptions& options);

  /// x [N, D] -> [N, D]. `weights`, if given, receives the attention weights.
  Variable<T> operator()(const Variable<T>& x, const RowLayout& layout, LayerWeights<T>* weights = nullptr) const;

  /// Decodes the next token of each text (a row of DecoderCache): x [R, D] -> [R, D]. `own` is this layer's cache.
  Variable<T> step(const Variable<T>& x, const DecoderCache<T>& cache, LayerCache<T>& own,
                   const CacheLayout& layout) const;

 private:
  SelfAttention<T> self_attention_;
  FeedForward<T> feed_forward_;
  Residual<T> residual1_, residual2_;
};

/// The encoder: a stack of layers. With options.causal, an Encoder can be a decoder-only language model's stack,
/// between embedding and output projection. It then reads complete texts in training, and one token at a time in
/// generation.
template <class T>
class Encoder {
 public:
  Encoder(ParameterStore<T>& store, const std::string& scope, const StackOptions& options)
      : stack_(store, scope, options), causal_(options.causal) {}

  /// Embedded source [N, D] -> memory [N, D]. `weights`, if given, receives each layer's attention weights.
  Variable<T> operator()(const Variable<T>& x, const RowLayout& layout, LayerWeights<T>* weights = nullptr) const {
    return stack_(x, layout, weights);
  }

  /// Starts `cache` for `rows` texts of at most `capacity` tokens each. Throws unless the stack is causal.
  void start(DecoderCache<T>& cache, Index rows, Index capacity) const {
    check(causal_, "encoder.start", "expected a causal stack; got one whose tokens see later ones");
    cache.start(stack_.size(), stack_.key_width(), rows, capacity);
  }

  /// Decodes the next token of each text: embedded tokens [R, D] -> states [R, D]. The cache grows by one position. For
  /// inference only: no gradient flows into the past.
  Variable<T> step(const Variable<T>& x, DecoderCache<T>& cache) const { return stack_.step(x, cache); }

 private:
  Stack<T, EncoderLayer<T>> stack_;
  bool causal_;
};

}  // namespace glossa
