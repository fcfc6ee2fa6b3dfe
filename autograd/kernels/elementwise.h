#pragma once

#include <algorithm>
#include <array>

#include "autograd/parallel.h"
#include "autograd/tensor.h"

namespace glossa::kernels {

/// Elements a thread takes at a time; a multiple of every vector width, so that only the last piece has a tail.
inline constexpr Index elementwise_grain = 8192;

/// y[i] = f(i) for every flat index.
template <class T, class F>
void map(const Tensor<T>& y, const F& f) {
  parallel_ranges(y.size(), elementwise_grain, [&](Index begin, Index end) {
#pragma omp simd
    for (Index i = begin; i < end; ++i) y.data[i] = f(i);
  });
}

/// y[i] = f(i), or y[i] += f(i) if `add`.
template <class T, class F>
void accumulate(const Tensor<T>& y, bool add, const F& f) {
  if (add)
    map(y, [&](Index i) { return y.data[i] + f(i); });
  else
    map(y, f);
}

/// y[index of the broadcast shape] = f(i, a, b): i counts the result, a and b are the flat indices of two operands
/// that were broadcast to it.
template <class T, class F>
void map_broadcast(const Tensor<T>& y, const Shape& shape_a, const Shape& shape_b, const F& f) {
  if (shape_a == shape_b) {
    map(y, [&](Index i) { return f(i, i, i); });
    return;
  }
  const auto n = extents4(y.shape);
  const auto a = broadcast_strides(shape_a, y.shape), b = broadcast_strides(shape_b, y.shape);
  parallel_ranges(n[0] * n[1] * n[2], std::max<Index>(1, elementwise_grain / std::max<Index>(1, n[3])),
                  [&](Index begin, Index end) {
                    for (Index row = begin; row < end; ++row) {
                      const Index i0 = row / (n[1] * n[2]), i1 = row / n[2] % n[1], i2 = row % n[2];
                      const Index row_a = i0 * a[0] + i1 * a[1] + i2 * a[2];
                      const Index row_b = i0 * b[0] + i1 * b[1] + i2 * b[2];
#pragma omp simd
                      for (Index j = 0; j < n[3]; ++j)
                        y.data[row * n[3] + j] = f(row * n[3] + j, row_a + j * a[3], row_b + j * b[3]);
                    }
                  });
}

/// From a flat index of a broadcast result to the flat index of an operand.
class BroadcastIndex {
 public:
  BroadcastIndex(const Shape& operand, const Shape& result)
      : same_(operand == result), extents_(extents4(result)), strides_(broadcast_strides(operand, result)) {}

  Index operator()(Index i) const {
    if (same_) return i;
    Index at = i % extents_[3] * strides_[3];
    i /= extents_[3];
    at += i % extents_[2] * strides_[2];
    i /= extents_[2];
    return at + i % extents_[1] * strides_[1] + i / extents_[1] * strides_[0];
  }

 private:
  bool same_;
  std::array<Index, Shape::max_rank> extents_, strides_;
};

/// Reduces f over the axes along which `to` was broadcast to `from`: to[k] (+)= sum of f(i) over the flat indices i of
/// `from` that map to k. Each sum is taken by one thread in index order, in runs of 128 so that rounding stays small.
template <class T, class F>
void reduce_to(const Tensor<T>& to, const Shape& from, bool add, const F& f) {
  if (to.shape == from) {
    accumulate(to, add, f);
    return;
  }
  const auto n = extents4(from), m = extents4(to.shape);
  std::array<Index, 4> stride{};  // of `from`
  for (Index s = 1, axis = 3; axis >= 0; --axis) {
    stride[axis] = s;
    s *= n[axis];
  }
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
            const Index at = base + i0 * stride[0] + i1 * stride[1] + i2 * stride[2] + i3;
            for (Index j = 0; j < width; ++j) run[j] += f(at + j);
            if (++in_run == 128) close_run();
          }
    close_run();
    T* result = to.data + k * m[3] + j0;
    for (Index j = 0; j < width; ++j) result[j] = add ? result[j] + total[j] : total[j];
  });
}

}  // namespace glossa::kernels
