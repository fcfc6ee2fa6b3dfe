#include "layers/mask.h"

#include <algorithm>
#include <limits>

#include "autograd/check.h"

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

std::vector<char> causal_mask(Index positions) {
  std::vector<char> mask(static_cast<std::size_t>(positions * positions));
  for (Index i = 0; i < positions; ++i) std::fill_n(mask.begin() + i * positions, i + 1, char{1});
  return mask;
}

template <class T>
void write_additive_mask(std::span<const char> may_attend, const Tensor<T>& to) {
  check(static_cast<Index>(may_attend.size()) == to.size(), "additive_mask",
        "expected a mask of shape {}; got {} cells", to.shape, may_attend.size());
  std::ranges::transform(may_attend, to.data,
                         [](char may) { return may ? T{0} : -std::numeric_limits<T>::infinity(); });
}

template void write_additive_mask(std::span<const char>, const Tensor<float>&);
template void write_additive_mask(std::span<const char>, const Tensor<double>&);

}  // namespace glossa
