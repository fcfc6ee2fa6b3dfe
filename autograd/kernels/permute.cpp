#include "autograd/kernels/permute.h"

#include <algorithm>
#include <utility>

#include "autograd/kernels/lanes.h"
#include "autograd/kernels/row.h"

namespace glossa::kernels {

namespace {

/// An axis of the result: its extent, and its strides in the result and in the operand.
struct Axis {
  Index extent, to, from;
};

/// Axes of the result, innermost first. Neighbors contiguous in both tensors are merged; extents of 1 come last.
std::array<Axis, Shape::max_rank> joined_axes(const Shape& shape, const std::array<Index, Shape::max_rank>& stride) {
  const auto n = extents4(shape), dense = broadcast_strides(shape, shape);
  std::array<Axis, Shape::max_rank> axes;
  axes.fill({1, 0, 0});
  int count = 0;
  for (int k = Shape::max_rank - 1; k >= 0; --k) {
    if (n[k] == 1) continue;
    if (count > 0 && stride[k] == axes[count - 1].extent * axes[count - 1].from)
      axes[count - 1].extent *= n[k];
    else
      axes[count++] = {n[k], dense[k], stride[k]};
  }
  return axes;
}

/// to[i * to_stride + j] (+)= from[i * from_stride + j] for i < rows, j < cols.
template <class T>
void copy_tile(Index rows, Index cols, T* to, Index to_stride, const T* from, Index from_stride, bool add) {
  for (Index i = 0; i < rows; ++i)
    write_row(cols, to + i * to_stride, add, [x = from + i * from_stride](Index j) { return x[j]; });
}

/// to[j * to_stride + i] (+)= from[i * from_stride + j] for i < rows, j < cols. Squares are transposed in registers,
/// other elements one by one.
template <class T>
void transpose_tile(Index rows, Index cols, T* to, Index to_stride, const T* from, Index from_stride, bool add) {
  constexpr Index L = Lanes<T>::count;
  const Index whole_rows = rows / L * L, whole_cols = cols / L * L;
  for (Index i = 0; i < whole_rows; i += L)
    for (Index j = 0; j < whole_cols; j += L) {
      typename Lanes<T>::Vector square[L];
      for (Index l = 0; l < L; ++l) square[l] = load(from + (i + l) * from_stride + j);
      transpose_square<T>(square);
      T* const target = to + j * to_stride + i;
      if (add)
        for (Index l = 0; l < L; ++l) square[l] += load(target + l * to_stride);
      for (Index l = 0; l < L; ++l) store(target + l * to_stride, square[l]);
    }
  for (Index j = 0; j < cols; ++j)
    write(to + j * to_stride, j < whole_cols ? whole_rows : 0, rows, add,
          [&](Index i) { return from[i * from_stride + j]; });
}

constexpr Index tile = 64;  // rows and columns: a tile read and a tile written, 32 KiB in float, fit in the L1 cache

}  // namespace

template <class T>
void permute(const Tensor<T>& to, const T* from, const std::array<Index, Shape::max_rank>& stride, bool add) {
  if (to.size() == 0) return;
  std::array<Axis, Shape::max_rank> axes = joined_axes(to.shape, stride);
  const bool rows_stay = axes[0].from == 1 || axes[0].extent == 1;
  // If the tensors' innermost axes differ, matrices of these two axes are transposed.
  if (!rows_stay)
    std::swap(axes[1], *std::find_if(axes.begin() + 1, axes.end(), [](const Axis& axis) { return axis.from == 1; }));
  const Axis &inner = axes[0], &other = axes[1];
  const Index width = rows_stay ? inner.extent : std::min(tile, inner.extent);
  const Index height = std::min(std::max(tile, 1024 / width), other.extent);
  const Index across = (inner.extent + width - 1) / width, down = (other.extent + height - 1) / height;
  const Index matrices = axes[2].extent * axes[3].extent;
  for_each_row(across * down * matrices, width * height, [&](Index piece) {
    const Index matrix = piece % matrices, i = piece / matrices % across * width,
                j = piece / (matrices * across) * height;
    const Index i2 = matrix % axes[2].extent, i3 = matrix / axes[2].extent;
    const Index cols = std::min(width, inner.extent - i), rows = std::min(height, other.extent - j);
    T* const target = to.data + i2 * axes[2].to + i3 * axes[3].to + j * other.to + i;
    const T* const source = from + i2 * axes[2].from + i3 * axes[3].from + j * other.from + i * inner.from;
    if (rows_stay)
      copy_tile(rows, cols, target, other.to, source, other.from, add);
    else
      transpose_tile(cols, rows, target, other.to, source, inner.from, add);
  });
}

template void permute(const Tensor<float>&, const float*, const std::array<Index, Shape::max_rank>&, bool);
template void permute(const Tensor<double>&, const double*, const std::array<Index, Shape::max_rank>&, bool);

}  // namespace glossa::kernels
