#include "autograd/kernels/broadcast.h"

#include "autograd/kernels/row.h"

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
  const auto n = extents4(from.shape), m = extents4(to.shape), stride = broadcast_strides(from.shape, from.shape);
  // Extents of the axes that are summed over; 1 where `to` has the axis.
  std::array<Index, 4> r;
  for (int axis = 0; axis < 4; ++axis) r[axis] = m[axis] == n[axis] ? 1 : n[axis];

  constexpr Index lanes = 16;  // neighbours summed side by side, so that memory is read along its rows
  const Index strips = (m[3] + lanes - 1) / lanes;
  parallel_for(m[0] * m[1] * m[2] * strips, [&](Index piece) {
    const Index j0 = piece % strips * lanes, width = std::min(lanes, m[3] - j0), k = piece / strips;
    const Index base = k / (m[1] * m[2]) * stride[0] + k / m[2] % m[1] * stride[1] + k % m[2] * stride[2] + j0;
    std::array<T, lanes> total{}, run{};
    Index in_run = 0;
    const auto close_run = [&] {
      for (Index j = 0; j < lanes; ++j) total[j] += run[j];
      run = {};
      in_run = 0;
    };
    for (Index i0 = 0; i0 < r[0]; ++i0)
      for (Index i1 = 0; i1 < r[1]; ++i1)
        for (Index i2 = 0; i2 < r[2]; ++i2)
          for (Index i3 = 0; i3 < r[3]; ++i3) {
            const T* const at = from.data + base + i0 * stride[0] + i1 * stride[1] + i2 * stride[2] + i3;
            for (Index j = 0; j < width; ++j) run[j] += at[j];
            if (++in_run == 128) close_run();
          }
    close_run();
    T* const result = to.data + k * m[3] + j0;
    for (Index j = 0; j < width; ++j) result[j] = add ? result[j] + total[j] : total[j];
  });
}

template void expand(const Tensor<float>&, const Tensor<const float>&);
template void expand(const Tensor<double>&, const Tensor<const double>&);
template void reduce(const Tensor<float>&, const Tensor<const float>&, bool);
template void reduce(const Tensor<double>&, const Tensor<const double>&, bool);

}  // namespace glossa::kernels
