#include "autograd/kernels/broadcast.h"

#include "autograd/kernels/row.h"
#include "autograd/kernels/rowwise.h"

namespace glossa::kernels {

template <class T>
void expand(const Tensor<T>& to, const Tensor<const T>& from) {
  const auto n = extents4(to.shape), stride = broadcast_strides(from.shape, to.shape);
  for_each_row(n[0] * n[1] * n[2], n[3], [&](Index row) {
    const Index i0 = row / (n[1] * n[2]), i1 = row / n[2] % n[1], i2 = row % n[2];
    const T* const source = from.data + i0 * stride[0] + i1 * stride[1] + i2 * stride[2];
    T* const target = to.data + row * n[3];
    if (stride[3] == 0)
      std::fill_n(target, n[3], *source);
    else
      std::copy_n(source, n[3], target);
  });
}

template <class T>
void reduce(const Tensor<T>& to, const Tensor<const T>& from, bool add) {
  if (to.size() == 1) {
    const T total = sum<T>(from.size(), [&](Index i) { return from[i]; });
    return write(to.data, 0, 1, add, [total](Index) { return total; });
  }
  const auto n = extents4(from.shape), m = extents4(to.shape), stride = broadcast_strides(from.shape, from.shape);
  // Extents of the summed axes; 1 for an axis that `to` has.
  std::array<Index, 4> r;
  for (int axis = 0; axis < 4; ++axis) r[axis] = m[axis] == n[axis] ? 1 : n[axis];
  // A row of `to` is the sum of `rows` rows of `from`; row(k, i) is the i-th of them for row k.
  const Index rows = r[0] * r[1] * r[2], rows_to = m[0] * m[1] * m[2];
  const auto row = [&](Index k, Index i) {
    if (rows == 1 || rows_to == 1) return from.data + (k + i) * n[3];  // common case that avoids divisions
    const Index i0 = k / (m[1] * m[2]) + i / (r[1] * r[2]), i1 = k / m[2] % m[1] + i / r[2] % r[1];
    return from.data + i0 * stride[0] + i1 * stride[1] + (k % m[2] + i % r[2]) * stride[2];
  };
  if (m[3] != n[3]) {
    for_each_row(rows_to, rows * n[3], [&](Index k) {
      T total{0};
      for (Index i = 0; i < rows; ++i) total += row_sum<T>(n[3], [x = row(k, i)](Index j) { return x[j]; });
      write(to.data, k, k + 1, add, [total](Index) { return total; });
    });
  } else {
    const Index across = strips(m[3]);
    for_each_row(rows_to * across, rows * strip_width, [&](Index piece) {
      const Index k = piece / across, first = piece % across * strip_width;
      sum_strip(to.data + k * m[3] + first, std::min(strip_width, m[3] - first), add, rows,
                [&](Index i) { return row(k, i) + first; });
    });
  }
}

template void expand(const Tensor<float>&, const Tensor<const float>&);
template void expand(const Tensor<double>&, const Tensor<const double>&);
template void reduce(const Tensor<float>&, const Tensor<const float>&, bool);
template void reduce(const Tensor<double>&, const Tensor<const double>&, bool);

}  // namespace glossa::kernels
