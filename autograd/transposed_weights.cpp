#include "autograd/transposed_weights.h"

#include <algorithm>

namespace glossa {

template <class T>
const T* TransposedWeights<T>::of(const Tensor<const T>& weight) {
  const std::lock_guard lock(mutex_);
  std::vector<T>& turned = made_[weight.data];
  if (std::ssize(turned) == weight.size()) return turned.data();
  constexpr Index square = 16;  // both squares stay in the cache
  const Index rows = weight.rows(), cols = weight.cols();
  turned.resize(static_cast<std::size_t>(weight.size()));
  for (Index i = 0; i < rows; i += square)
    for (Index j = 0; j < cols; j += square)
      for (Index r = i; r < std::min(rows, i + square); ++r)
        for (Index c = j; c < std::min(cols, j + square); ++c) turned[c * rows + r] = weight.row(r)[c];
  return turned.data();
}

template class TransposedWeights<float>;
template class TransposedWeights<double>;

}  // namespace glossa
