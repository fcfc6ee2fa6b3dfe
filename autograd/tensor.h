#pragma once

#include <initializer_list>
#include <ranges>
#include <span>
#include <type_traits>

#include "autograd/shape.h"

// 1 if operator[] and row() check their index, else 0. The default is 0 if NDEBUG is defined, else 1. In glossa's
// sanitized builds it is 1.
#ifndef GLOSSA_BOUNDS_CHECKS
#ifdef NDEBUG
#define GLOSSA_BOUNDS_CHECKS 0
#else
#define GLOSSA_BOUNDS_CHECKS 1
#endif
#endif

namespace glossa {

/// Bounds checks of tensor views. Each throws Error `[tensor] ...` with the invalid number and the shape.
namespace bounds {

void check_count(const Shape& shape, std::size_t numbers);
void check_index(const void* data, const Shape& shape, Index i);
void check_row(const void* data, const Shape& shape, Index i);

/// Returns the row-major position of the element at `indices`, which has one index per axis.
Index position(const void* data, const Shape& shape, std::span<const Index> indices);

}  // namespace bounds

/// A type that converts to T*, but not an array: an array converts to a span, whose size can be checked.
template <class Pointer, class T>
concept PointerTo = std::is_convertible_v<Pointer, T*> && !std::is_array_v<Pointer>;

/// A non-owning view of contiguous row-major numbers. Memory comes from an arena, a parameter store or the caller.
/// Tensor<const T> is read-only; every Tensor<T> converts to it.
template <class T>
struct Tensor {
  T* data = nullptr;
  Shape shape;

  Tensor() = default;

  /// A view of all `numbers`. Throws Error unless `shape` has numbers.size() elements.
  Tensor(std::span<T> numbers, const Shape& shape) : data(numbers.data()), shape(shape) {
    bounds::check_count(shape, numbers.size());
  }

  /// Deleted, because a temporary container would be destroyed at the end of the expression.
  template <class Temporary>
  requires(!std::is_lvalue_reference_v<Temporary> && std::ranges::contiguous_range<Temporary> &&
           !std::ranges::borrowed_range<Temporary>) Tensor(Temporary&& numbers, const Shape& shape)
  = delete;

  /// A view of memory starting at `first`. Unchecked: the caller guarantees room for the elements of `shape`.
  template <PointerTo<T> Pointer>
  Tensor(const Pointer& first, const Shape& shape) : data(first), shape(shape) {}

  Index size() const { return shape.size(); }
  Index rows() const { return shape.rows(); }
  Index cols() const { return shape.cols(); }
  std::span<T> span() const { return {data, static_cast<std::size_t>(size())}; }

  /// Access for loops in ops: element number `i` in row-major order, and a pointer to the first number of row `i`. The
  /// index is checked only with GLOSSA_BOUNDS_CHECKS.
  ///
  /// Always inlined, because a program built with checks may link to a library built without them. The linker keeps
  /// only one copy of an inline function, perhaps the unchecked one. Separate namespaces for checked and unchecked code
  /// would not help: every function that takes a Tensor would have two names, and the program would not link.
  [[gnu::always_inline]] T& operator[](Index i) const {
    if constexpr (GLOSSA_BOUNDS_CHECKS != 0) bounds::check_index(data, shape, i);
    return data[i];
  }
  [[gnu::always_inline]] T* row(Index i) const {
    if constexpr (GLOSSA_BOUNDS_CHECKS != 0) bounds::check_row(data, shape, i);
    return data + i * cols();
  }

  /// Access that is always checked: element number `i` in row-major order, the element with one index per axis, and the
  /// numbers of row `i`.
  T& at(Index i) const {
    bounds::check_index(data, shape, i);
    return data[i];
  }
  T& at(std::initializer_list<Index> indices) const { return data[bounds::position(data, shape, indices)]; }
  std::span<T> row_at(Index i) const {
    bounds::check_row(data, shape, i);
    return {data + i * cols(), static_cast<std::size_t>(cols())};
  }

  operator Tensor<const T>() const requires(!std::is_const_v<T>) { return {data, shape}; }
};

}  // namespace glossa
