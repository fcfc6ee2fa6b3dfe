#include "layers/mask.h"

#include <algorithm>
#include <limits>

#include "base/check.h"

namespace glossa {

std::vector<RowSpan> spans_of_padded(std::span<const int> ids, Index sequences, int pad) {
  check(sequences >= 1 && static_cast<Index>(ids.size()) % sequences == 0, "spans_of_padded",
        "expected ids of a [B, T] box with B = {}; got {}", sequences, ids.size());
  const Index width = static_cast<Index>(ids.size()) / sequences;
  std::vector<RowSpan> spans;
  for (Index b = 0; b < sequences; ++b) {
    Index length = width;
    while (length > 0 && ids[b * width + length - 1] == pad) --length;
    spans.push_back({b * width, length});
  }
  return spans;
}

Mask causal_mask(Index positions) {
  Mask mask(positions, positions);
  for (Index i = 0; i < positions; ++i)
    for (Index j = i + 1; j < positions; ++j) mask(i, j) = true;
  return mask;
}

template <class T>
Tensor<T> additive_mask(Context<T>& context, const Mask& mask) {
  const Tensor<T> result = context.tensor({mask.rows(), mask.cols()});
  std::ranges::transform(std::span<const bool>(mask), result.data,
                         [](bool blocked) { return blocked ? -std::numeric_limits<T>::infinity() : T{0}; });
  return result;
}

template Tensor<float> additive_mask(Context<float>&, const Mask&);
template Tensor<double> additive_mask(Context<double>&, const Mask&);

}  // namespace glossa
