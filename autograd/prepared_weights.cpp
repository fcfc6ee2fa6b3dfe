#include "autograd/prepared_weights.h"

#include <algorithm>
#include <type_traits>

#include "autograd/kernels/bf16/product.h"

namespace glossa {

namespace {

template <class T>
std::vector<T> transpose(const Tensor<const T>& weight) {
  constexpr Index square = 16;  // a square of each matrix fits in the cache
  const Index rows = weight.rows(), cols = weight.cols();
  std::vector<T> turned(static_cast<std::size_t>(weight.size()));
  for (Index i = 0; i < rows; i += square)
    for (Index j = 0; j < cols; j += square)
      for (Index r = i; r < std::min(rows, i + square); ++r)
        for (Index c = j; c < std::min(cols, j + square); ++c) turned[c * rows + r] = weight.row(r)[c];
  return turned;
}

std::vector<std::uint32_t> pack(const Tensor<const float>& weight) {
  const Index outputs = weight.rows(), inputs = weight.cols();
  std::vector<std::uint32_t> panels(static_cast<std::size_t>(kernels::bf16::packed_size(outputs, inputs)));
  for (Index panel = 0; panel < kernels::panels(outputs); ++panel)
    kernels::bf16::pack_panel(kernels::bf16::kind(), outputs, inputs,
                              {.data = weight.data, .stride = inputs, .transposed = true}, panel, panels.data());
  return panels;
}

}  // namespace

template <class T>
kernels::Factor<T> PreparedWeights<T>::of(const Parameter<T>& weight, Precision precision) {
  const Tensor<const T> w = weight.value;
  const std::lock_guard lock(mutex_);
  Form& form = forms_[&weight];
  if (form.version != weight.version()) form = {.version = weight.version()};
  if constexpr (std::is_same_v<T, float>)
    if (precision == Precision::bf16) {
      if (form.packed.empty()) form.packed = pack(w);
      return {.data = nullptr, .stride = w.cols(), .transposed = true, .packed = form.packed.data()};
    }
  if (form.transposed.empty()) form.transposed = transpose(w);
  return {.data = form.transposed.data(), .stride = w.rows()};
}

template class PreparedWeights<float>;
template class PreparedWeights<double>;

}  // namespace glossa
