#pragma once

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "autograd/kernels/small_product.h"

namespace glossa::kernels {

/// Hands out a thread's scratch in rows of whole vectors.
template <class T>
struct Bump {
  T* next;

  T* take(Index rows, Index cols) {
    T* result = next;
    next += rows * padded<T>(cols);
    return result;
  }
};

/// A matrix in rows of whole vectors, as small_product reads its second factor.
template <class T>
struct Panel {
  const T* data;
  Index stride;
};

/// [rows, cols] as a panel: where it lies if its columns are whole vectors, else a copy with zeros behind each row.
template <class T>
Panel<T> as_panel(Index rows, Index cols, const T* from, Index stride, Bump<T>& memory) {
  const Index width = padded<T>(cols);
  if (width == cols) return {from, stride};
  T* const to = memory.take(rows, cols);
  for (Index i = 0; i < rows; ++i) {
    std::copy_n(from + i * stride, cols, to + i * width);
    std::fill(to + i * width + cols, to + (i + 1) * width, T{0});
  }
  return {to, width};
}

/// [rows, cols] transposed as a panel [cols, rows], zeros behind each row.
template <class T>
Panel<T> transposed_panel(Index rows, Index cols, const T* from, Index stride, Bump<T>& memory) {
  constexpr Index L = Lanes<T>::count;
  const Index width = padded<T>(rows);
  T* const to = memory.take(cols, rows);
  for (Index i = 0; i < rows; i += L)
    for (Index j = 0; j < cols; j += L) {
      const Index height = std::min(L, rows - i), breadth = std::min(L, cols - j);
      typename Lanes<T>::Vector square[L];
      if (height == L && breadth == L) {
        for (Index r = 0; r < L; ++r) square[r] = load(from + (i + r) * stride + j);
      } else {
        std::memset(square, 0, sizeof square);
        for (Index r = 0; r < height; ++r)
          std::memcpy(&square[r], from + (i + r) * stride + j, static_cast<std::size_t>(breadth) * sizeof(T));
      }
      transpose_square<T>(square);
      if (breadth == L)
        for (Index r = 0; r < L; ++r) store(to + (j + r) * width + i, square[r]);
      else
        for (Index r = 0; r < breadth; ++r) store(to + (j + r) * width + i, square[r]);
    }
  return {to, width};
}

/// Whether no element is NaN or infinite.
template <class T>
bool all_finite(Index rows, Index cols, const T* from, Index stride) {
  int bad = 0;
  for (Index i = 0; i < rows; ++i) {
    const T* const row = from + i * stride;
    for (Index j = 0; j < cols; ++j) bad |= !(std::fabs(row[j]) <= std::numeric_limits<T>::max());
  }
  return bad == 0;
}

}  // namespace glossa::kernels
