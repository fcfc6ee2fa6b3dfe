#pragma once

#include <optional>
#include <string>
#include <vector>

#include "autograd/frame.h"
#include "layers/decoder_cache.h"
#include "layers/norm.h"
#include "layers/stack_options.h"

namespace glossa {

/// Consecutive layers (SCOPE.layers.0.*, SCOPE.layers.1.*, ...), then an optional final norm (SCOPE.norm.*). Releases
/// each layer's memory if the context records nothing for backward.
template <class T, class Layer>
class Stack {
 public:
  Stack(ParameterStore<T>& store, const std::string& scope, const StackOptions& options)
      : key_width_(options.attention(options.causal).key_inner_width()) {
    for (Index i = 0; i < options.layers; ++i)
      layers_.emplace_back(store, in_scope(scope, "layers." + std::to_string(i)), options);
    if (options.final_norm) norm_.emplace(store, in_scope(scope, "norm"), options.width, options.normalization());
  }

  /// Total width of all heads of keys, as in the cache.
  Index key_width() const { return key_width_; }

  Index size() const { return static_cast<Index>(layers_.size()); }
  const Layer& layer(Index i) const { return layers_[static_cast<std::size_t>(i)]; }

  /// x [N, D] -> [N, D]. Each layer is called with its input and `others`.
  template <class... Others>
  Variable<T> operator()(Variable<T> x, const Others&... others) const {
    Frame<T> frame(x.context(), inputs_stay);
    for (const Layer& layer : layers_) x = frame.keep(layer(x, others...));
    return norm_ ? frame.keep((*norm_)(x)) : x;
  }

  /// Decodes the next token of each row (see DecoderCache): x [R, D] -> [R, D]. The cache grows by one position.
  Variable<T> step(Variable<T> x, DecoderCache<T>& cache) const {
    const CacheLayout layout = cache.layout();
    Frame<T> frame(x.context(), inputs_stay);
    for (Index i = 0; i < size(); ++i) x = frame.keep(layer(i).step(x, cache, cache.layer(i), layout));
    cache.advance();
    return norm_ ? frame.keep((*norm_)(x)) : x;
  }

 private:
  Index key_width_;
  std::vector<Layer> layers_;
  std::optional<Norm<T>> norm_;
};

}  // namespace glossa
