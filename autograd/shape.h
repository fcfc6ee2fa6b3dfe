#pragma once

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

#include "base/index.h"

namespace glossa {

/// Extents of a tensor, rank 0 (a scalar) to 4, row-major: the last axis is contiguous.
class Shape {
 public:
  static constexpr int max_rank = 4;

  Shape() = default;
  Shape(std::initializer_list<Index> extents) : Shape(std::span(extents.begin(), extents.size())) {}

  /// Makes a shape from extents known only at run time.
  explicit Shape(std::span<const Index> extents);

  int rank() const { return rank_; }

  /// Number of elements; 1 for a scalar. Throws Error if there are too many to address.
  Index size() const { return product(rank_); }

  /// Extent of an axis; negative axes count from the end. Throws if the axis does not exist.
  Index operator[](int axis) const;

  /// This shape with one extent replaced.
  Shape with(int axis, Index extent) const;

  /// `without` returns this shape without an axis. `inserted` returns this shape with a new axis before `axis`, which
  /// may be rank() to append.
  Shape without(int axis) const;
  Shape inserted(int axis, Index extent) const;

  /// Extents of the tensor viewed as a matrix [rows(), cols()], whose columns are the last axis. A scalar has one row
  /// and one column.
  Index cols() const { return rank_ == 0 ? 1 : extents_[rank_ - 1]; }
  Index rows() const { return product(rank_ - 1); }

  /// `axis` as a number in {0, ..., rank-1}; throws Error `[where] ...` if the axis does not exist.
  int axis(int axis, std::string_view where) const;

  /// The extents as text, such as "[2, 3]".
  std::string str() const;

  friend bool operator==(const Shape& a, const Shape& b);

 private:
  Index product(int axes) const;  // product of the first `axes` extents

  std::array<Index, max_rank> extents_{};
  int rank_ = 0;
};

/// The shape to which both operands broadcast under NumPy's rule: last axes aligned, extents equal or 1. Throws Error
/// `[where] ...` with both shapes if they are incompatible.
Shape broadcast(const Shape& a, const Shape& b, std::string_view where);

/// Extents padded with leading 1s to rank 4.
std::array<Index, Shape::max_rank> extents4(const Shape& shape);

/// Strides in elements for reading a tensor of shape `from` at the indices of shape `to`: 0 along broadcast axes.
std::array<Index, Shape::max_rank> broadcast_strides(const Shape& from, const Shape& to);

}  // namespace glossa

/// Formats a shape as str() does. The text is built only if it is printed.
template <>
struct fmt::formatter<glossa::Shape> {
  constexpr auto parse(fmt::format_parse_context& context) { return context.begin(); }

  template <class FormatContext>
  auto format(const glossa::Shape& shape, FormatContext& context) const {
    return std::ranges::copy(shape.str(), context.out()).out;
  }
};
