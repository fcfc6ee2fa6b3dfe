#pragma once

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "autograd/kernels/small_product.h"

namespace glossa::kernels {

/// A bump allocator over a thread's scratch. `take` allocates a matrix, with rows padded to whole vectors.
template <class T>
struct Bump {
  T* next;

  T* take(Index rows, Index cols) {
    T* result = next;
    next += rows * padded<T>(cols);
    return result;
  }
};

/// The matrix `from` [rows, cols] as a panel: `from` itself if its rows are whole vectors, otherwise a copy.
template <class T>
Panel<T> as_panel(Index rows, Index cols, const Columns<const T>& from, Bump<T>& memory) {
  const Index width = padded<T>(cols);
  if (width == cols) return {from.data, from.stride};
  T* const to = memory.take(rows, cols);
  for (Index i = 0; i < rows; ++i) {
    std::copy_n(from.data + i * from.stride, cols, to + i * width);
    std::fill(to + i * width + cols, to + (i + 1) * width, T{0});
  }
  return {to, width};
}

/// The matrix `from` [rows, cols] times a factor, as a panel.
template <class T>
Panel<T> scaled_panel(Index rows, Index cols, const Columns<const T>& from, T factor, Bump<T>& memory) {
  const Index width = padded<T>(cols);
  T* const to = memory.take(rows, cols);
  for (Index i = 0; i < rows; ++i)
    for (Index j = 0; j < width; ++j) to[i * width + j] = j < cols ? from.data[i * from.stride + j] * factor : T{0};
  return {to, width};
}

/// The matrix `from` [rows, cols] transposed, as a panel [cols, rows].
template <class T>
Panel<T> transposed_panel(Index rows, Index cols, const Columns<const T>& from, Bump<T>& memory) {
  constexpr Index L = Lanes<T>::count;
  const Index width = padded<T>(rows);
  T* const to = memory.take(cols, rows);
  for (Index i = 0; i < rows; i += L)
    for (Index j = 0; j < cols; j += L) {
      const Index height = std::min(L, rows - i), breadth = std::min(L, cols - j);
      typename Lanes<T>::Vector square[L];
      if (height == L && breadth == L) {
        for (Index r = 0; r < L; ++r) square[r] = load(from.data + (i + r) * from.stride + j);
      } else {
        std::memset(square, 0, sizeof square);
        for (Index r = 0; r < height; ++r)
          std::memcpy(&square[r], from.data + (i + r) * from.stride + j, static_cast<std::size_t>(breadth) * sizeof(T));
      }
      transpose_square<T>(square);
      if (breadth == L)
        for (Index r = 0; r < L; ++r) store(to + (j + r) * width + i, square[r]);
      else
        for (Index r = 0; r < breadth; ++r) store(to + (j + r) * width + i, square[r]);
    }
  return {to, width};
}

/// True if no element is NaN or infinite.
template <class T>
bool all_finite(Index rows, Index cols, const Columns<const T>& x) {
  int bad = 0;
  for (Index i = 0; i < rows; ++i) {
    const T* const row = x.data + i * x.stride;
    for (Index j = 0; j < cols; ++j) bad |= !(std::fabs(row[j]) <= std::numeric_limits<T>::max());
  }
  return bad == 0;
}

}  // namespace glossa::kernels
