#pragma once

#include "autograd/frame.h"
#include "layers/attention_weights.h"
#include "layers/norm.h"
#include "layers/stack_options.h"

namespace glossa {

/// "Add & Norm" around a sub-layer: LayerNorm(x + dropout(Sublayer(x))). Only this class distinguishes post-norm from
/// pre-norm, x + dropout(Sublayer(LayerNorm(x))).
template <class T>
class Residual {
 public:
  Residual(ParameterStore<T>& store, const std::string& norm_scope, const StackOptions& o)
      : norm_(store, norm_scope, o.width, o.normalization()), place_(o.norm), dropout_(o.residual_dropout) {}

  /// x [N, D]; sublayer(x, layout): [N, D] -> [N, D]. Releases the sub-layer's memory if the context records nothing
  /// for backward.
  template <class Sublayer>
  Variable<T> operator()(const Variable<T>& x, const RowLayout& layout, const Sublayer& sublayer) const {
    Frame<T> frame(x.context(), inputs_stay);
    if (place_ == NormPlace::pre)
      return frame.keep(add_dropout(x, sublayer(norm_(x, Use::products), layout), dropout_, layout));
    return frame.keep(norm_.add(x, sublayer(x, layout), dropout_, layout));
  }

  /// Around attention(x, layout, memory...), without a mask. Appends the attention weights to `layers` unless null.
  /// They are copied, because the next step reuses their memory.
  template <class Attention, class... Memory>
  Variable<T> operator()(const Variable<T>& x, const RowLayout& layout, const Attention& attention,
                         LayerWeights<T>* layers, const Memory&... memory) const {
    return (*this)(x, layout, [&](const Variable<T>& h, const RowLayout&) {
      if (!layers) return attention(h, layout, memory...);
      Tensor<T> weights;
      const Variable<T> y = attention(h, layout, memory..., /*mask=*/nullptr, &weights);
      layers->emplace_back(weights.data, weights.data + weights.size());
      return y;
    });
  }

 private:
  Norm<T> norm_;
  NormPlace place_;
  double dropout_;
};

}  // namespace glossa
