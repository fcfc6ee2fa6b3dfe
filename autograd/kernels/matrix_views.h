#pragma once

#include "autograd/kernels/lanes.h"

/// Matrix views for the attention kernels; extents are passed separately.
namespace glossa::kernels {

/// Some columns of a row-major matrix.
template <class T>
struct Columns {
  T* data = nullptr;  // null if unused
  Index stride = 0;
  bool add = false;  // results only: add to the existing numbers

  Columns from_row(Index row) const { return {data + row * stride, stride, add}; }
};

/// A matrix with two arbitrary strides: element (i, j) is data[i * row + j * col]. Transposing it needs no copy.
template <class T>
struct Strided {
  const T* data;
  Index row, col;
};

/// A matrix whose rows are whole SIMD vectors, padded with zeros after the last column.
template <class T>
struct Panel {
  const T* data;
  Index stride;

  Columns<const T> columns() const { return {data, stride}; }
};

}  // namespace glossa::kernels
