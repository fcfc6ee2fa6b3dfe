#include "autograd/kernels/permute.h"

#include <algorithm>
#include <utility>

#include "autograd/kernels/lanes.h"
#include "autograd/kernels/row.h"

namespace glossa::kernels {

namespace {

/// An axis of the result: its extent, and how far a step along it goes in the result and in the operand.
struct Axis {
  Index extent, to, from;
};

/// The axes of the result, innermost first. Those that lie behind each other in both are one; extents of 1 stand last.
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

/// to[j * to_stride + i] (+)= from[i * from_stride + j] for i < rows, j < cols: squares in registers, the rest one by
/// one.
template <class T>
void transpose_tile(Index rows, Index cols, T* to, Index to_stride, const T* from, Index from_stride, bool add) {
  constexpr Index L = Lanes<T>::count;
  const Index whole_rows = rows / L * L, whole_cols = cols / L * L;
  for (Index i = 0; i < whole_rows; i += L)
    for (Index j = 0; j < whole_cols; j += L) {
      typename Lanes<T>::Vector square[L];
      for (Index l = 0; l < L; ++l) square[l] = load(from + (i + l) * from_stride + j);
      transpose_square<T>(square);
      for (Index l = 0; l < L; ++l) {
        T* const target = to + (j + l) * to_stride + i;
        store(target, add ? load(target) + square[l] : square[l]);
      }
    }
  for (Index j = 0; j < cols; ++j)
    write(to + j * to_stride, j < whole_cols ? whole_rows : 0, rows, add,
          [&](Index i) { return from[i * from_stride + j]; });
}

constexpr Index tile = 64;  // rows and columns: 32 KiB of float, read and written, while the first cache holds them

}  // namespace

template <class T>
void permute(const Tensor<T>& to, const T* from, const std::array<Index, Shape::max_rank>& stride, bool add) {
  if (to.size() == 0) return;
  std::array<Axis, Shape::max_rank> axes = joined_axes(to.shape, stride);
  const auto base = [&axes](Index i) {  // of element i of the two outer axes, in the result and in the operand
    const Index i2 = i % axes[2].extent, i3 = i / axes[2].extent;
    return std::pair{i2 * axes[2].to + i3 * axes[3].to, i2 * axes[2].from + i3 * axes[3].from};
  };
  if (axes[0].from == 1 || axes[0].extent == 1) {  // rows stay rows
    const Index width = axes[0].extent, rows = axes[1].extent;
    for_each_row(rows * axes[2].extent * axes[3].extent, width, [&](Index row) {
      const auto [target, source] = base(row / rows);
      write(to.data + target + row % rows * axes[1].to, 0, width, add,
            [x = from + source + row % rows * axes[1].from](Index j) { return x[j]; });
    });
    return;
  }
  // The operand's innermost axis is another one: tiles of the two are transposed.
  std::swap(axes[1], *std::find_if(axes.begin() + 1, axes.end(), [](const Axis& axis) { return axis.from == 1; }));
  const Index rows = axes[0].extent, cols = axes[1].extent;
  const Index down = (rows + tile - 1) / tile, across = (cols + tile - 1) / tile;
  for_each_row(
      down * across * axes[2].extent * axes[3].extent, std::min(tile, rows) * std::min(tile, cols), [&](Index piece) {
        const auto [target, source] = base(piece / (down * across));
        const Index i = piece % down * tile, j = piece / down % across * tile;
        transpose_tile(std::min(tile, rows - i), std::min(tile, cols - j), to.data + target + j * axes[1].to + i,
                       axes[1].to, from + source + i * axes[0].from + j, axes[0].from, add);
      });
}

template void permute(const Tensor<float>&, const float*, const std::array<Index, Shape::max_rank>&, bool);
template void permute(const Tensor<double>&, const double*, const std::array<Index, Shape::max_rank>&, bool);

}  // namespace glossa::kernels
