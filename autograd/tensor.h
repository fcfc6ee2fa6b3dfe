#pragma once

#include <span>
#include <type_traits>

#include "autograd/shape.h"

namespace glossa {

/// A non-owning view of contiguous row-major numbers. Memory comes from an arena, a parameter store or the caller.
/// Tensor<const T> is read-only; every Tensor<T> converts to it.
template <class T>
struct Tensor {
  T* data = nullptr;
  Shape shape;

  Index size() const { return shape.size(); }
  Index rows() const { return shape.rows(); }
  Index cols() const { return shape.cols(); }
  T& operator[](Index i) const { return data[i]; }
  T* row(Index i) const { return data + i * cols(); }
  std::span<T> span() const { return {data, static_cast<std::size_t>(size())}; }

  operator Tensor<const T>() const requires(!std::is_const_v<T>) { return {data, shape}; }
};

}  // namespace glossa
