#include <algorithm>

#include "autograd/ops.h"

namespace glossa {

namespace {

/// True if some trailing axes of x, possibly none or all, hold `count` elements.
bool has_trailing(const Shape& x, Index count) {
  Index size = 1;
  for (int axis = x.rank() - 1; axis >= 0 && size != count; --axis) size *= x[axis];
  return size == count;
}

/// Repeats `mask` for every element of `shape`, in the step's memory.
template <class T>
std::span<const bool> repeated(const char* op, Context<T>& c, std::span<const bool> mask, const Shape& shape) {
  const Index count = std::ssize(mask);
  if (!has_trailing(shape, count))
    fail(op, "expected as many mask elements as {} or its trailing axes have; got {}", shape, count);
  const std::span<bool> all = c.template array<bool>(shape.size());
  for (Index i = 0; i < shape.size(); i += count) std::copy(mask.begin(), mask.end(), all.begin() + i);
  return all;
}

/// Copies a mask of bits into the step's memory, as bool.
template <class T>
std::span<const bool> unpacked(Context<T>& c, const auto& mask) {
  const std::span<bool> copy = c.template array<bool>(std::ssize(mask));
  std::copy(mask.begin(), mask.end(), copy.begin());
  return copy;
}

}  // namespace

template <class T>
Variable<T> masked_fill(const Variable<T>& x, std::span<const bool> mask, double value) {
  Context<T>& c = context_of("masked_fill", {x});
  const Tensor<const T> in = c.read(x);
  const Tensor<T> y = c.tensor(in.shape);
  const std::span<const bool> filled = repeated("masked_fill", c, mask, in.shape);
  const T fill = static_cast<T>(value);
  kernels::map(y, [&](Index i) { return filled[i] ? fill : in[i]; });

  return c.record("masked_fill", {x}, y, [filled](Backward<T>& back) {
    const Tensor<const T> dy = back.dy();
    back.add(0, [&](Index i) { return filled[i] ? T{0} : dy[i]; });
  });
}

template <class T, class Allocator>
Variable<T> masked_fill(const Variable<T>& x, const std::vector<bool, Allocator>& mask, double value) {
  return masked_fill(x, unpacked(context_of("masked_fill", {x}), mask), value);
}

template <class T>
Variable<T> where(std::span<const bool> condition, const Variable<T>& a, const Variable<T>& b) {
  Context<T>& c = context_of("where", {a, b});
  const Tensor<T> y = c.tensor(broadcast(a.shape(), b.shape(), "where"));
  const std::span<const bool> first = repeated("where", c, condition, y.shape);
  const Arena::Mark mark = c.scratch_mark();
  const Tensor<const T> x = kernels::expanded(c, c.read(a), y.shape), z = kernels::expanded(c, c.read(b), y.shape);
  kernels::map(y, [&](Index i) { return first[i] ? x[i] : z[i]; });

  return c.record("where", {a, b}, y, [first](Backward<T>& back) {
    const Tensor<const T> dy = back.dy();
    back.add(0, [&](Index i) { return first[i] ? dy[i] : T{0}; });
    back.add(1, [&](Index i) { return first[i] ? T{0} : dy[i]; });
  });
}

template <class T, class Allocator>
Variable<T> where(const std::vector<bool, Allocator>& condition, const Variable<T>& a, const Variable<T>& b) {
  return where(unpacked(context_of("where", {a, b}), condition), a, b);
}

#define GLOSSA_INSTANTIATE(T)                                                                \
  template Variable<T> masked_fill(const Variable<T>&, std::span<const bool>, double);       \
  template Variable<T> masked_fill(const Variable<T>&, const std::vector<bool>&, double);    \
  template Variable<T> where(std::span<const bool>, const Variable<T>&, const Variable<T>&); \
  template Variable<T> where(const std::vector<bool>&, const Variable<T>&, const Variable<T>&);
GLOSSA_INSTANTIATE(float)
GLOSSA_INSTANTIATE(double)
#undef GLOSSA_INSTANTIATE

}  // namespace glossa
