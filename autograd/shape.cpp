#include "autograd/shape.h"

#include <algorithm>
#include <limits>

#include "base/check.h"

namespace glossa {

Shape::Shape(std::span<const Index> extents) : rank_(static_cast<int>(extents.size())) {
  check(extents.size() <= max_rank, "shape", "expected at most {} axes; got {}", +max_rank, extents.size());
  std::copy(extents.begin(), extents.end(), extents_.begin());
  for (const Index extent : extents) check(extent >= 0, "shape", "expected extents >= 0; got {}", *this);
}

Index Shape::product(int axes) const {
  constexpr Index max_elements = std::numeric_limits<Index>::max() / static_cast<Index>(sizeof(double));
  Index product = 1;
  bool fits = true;
  for (int i = 0; i < axes; ++i) fits &= !__builtin_mul_overflow(product, extents_[i], &product);
  check(fits && product <= max_elements, "shape", "expected at most {} elements; got shape {}", max_elements, *this);
  return product;
}

int Shape::axis(int axis, std::string_view where) const {
  check(axis >= -rank_ && axis < rank_, where, "expected an axis in [{}, {}) of shape {}; got {}", -rank_, rank_, *this,
        axis);
  return axis < 0 ? axis + rank_ : axis;
}

Index Shape::operator[](int i) const { return extents_[axis(i, "shape")]; }

Shape Shape::with(int i, Index extent) const {
  Shape result = *this;
  result.extents_[axis(i, "shape")] = extent;
  return result;
}

Shape Shape::without(int i) const {
  Shape result = *this;
  const auto first = result.extents_.begin() + axis(i, "shape");
  std::copy(first + 1, result.extents_.begin() + rank_, first);
  result.extents_[--result.rank_] = 0;
  return result;
}

Shape Shape::inserted(int i, Index extent) const {
  check(rank_ < max_rank, "shape", "expected at most {} axes; got one more than {}", +max_rank, *this);
  check(i >= 0 && i <= rank_, "shape", "expected a position in [0, {}] for a new axis of {}; got {}", rank_, *this, i);
  Shape result = *this;
  std::copy_backward(extents_.begin() + i, extents_.begin() + rank_, result.extents_.begin() + rank_ + 1);
  result.extents_[i] = extent;
  ++result.rank_;
  return result;
}

std::string Shape::str() const {
  std::string text = "[";
  for (int i = 0; i < rank_; ++i) text += (i ? ", " : "") + std::to_string(extents_[i]);
  return text + "]";
}

bool operator==(const Shape& a, const Shape& b) {
  return a.rank_ == b.rank_ && std::equal(a.extents_.begin(), a.extents_.begin() + a.rank_, b.extents_.begin());
}

Shape broadcast(const Shape& a, const Shape& b, std::string_view where) {
  Shape result = a.rank() >= b.rank() ? a : b;
  for (int i = 1; i <= std::min(a.rank(), b.rank()); ++i) {
    check(a[-i] == b[-i] || a[-i] == 1 || b[-i] == 1, where,
          "expected shapes that broadcast (extents equal or 1, aligned at the last axis); got {} and {}", a, b);
    result = result.with(-i, a[-i] == 1 ? b[-i] : a[-i]);
  }
  return result;
}

std::array<Index, Shape::max_rank> extents4(const Shape& shape) {
  std::array<Index, Shape::max_rank> result;
  result.fill(1);
  for (int i = 1; i <= shape.rank(); ++i) result[Shape::max_rank - i] = shape[-i];
  return result;
}

std::array<Index, Shape::max_rank> broadcast_strides(const Shape& from, const Shape& to) {
  std::array<Index, Shape::max_rank> strides{};
  Index stride = 1;
  for (int i = 1; i <= from.rank(); ++i) {
    strides[Shape::max_rank - i] = from[-i] == 1 && to[-i] != 1 ? 0 : stride;
    stride *= from[-i];
  }
  return strides;
}

}  // namespace glossa
