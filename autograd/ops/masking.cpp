#include <algorithm>

#include "autograd/ops.h"

namespace glossa {

namespace {

/// True if some trailing axes of x (possibly none or all) hold `count` elements.
bool has_trailing(const Shape& x, Index count) {
  Index size = 1;
  for (int axis = x.rank() - 1; axis >= 0 && size != count; --axis) size *= x[axis];
  return size == count;
}

}  // namespace

template <class T>
Variable<T> masked_fill(const Variable<T>& x, std::span<const bool> mask, double value) {
  Context<T>& c = context_of("masked_fill", {x});
  const Tensor<const T> in = c.read(x);
  const Tensor<T> y = c.tensor(in.shape);
  const Index count = std::ssize(mask);
  if (!has_trailing(in.shape, count))
    fail("masked_fill", "expected as many mask elements as x {} or its trailing axes have; got {}", in.shape, count);
  // The mask of every element, so that one loop serves both shapes of masks.
  const std::span<bool> filled = c.template array<bool>(in.size());
  for (Index i = 0; i < in.size(); i += count) std::copy(mask.begin(), mask.end(), filled.begin() + i);
  const T fill = static_cast<T>(value);
  kernels::map(y, [&](Index i) { return filled[i] ? fill : in[i]; });

  return c.record("masked_fill", {x}, y, [filled](Backward<T>& back) {
    const Tensor<const T> dy = back.dy();
    back.add(0, [&](Index i) { return filled[i] ? T{0} : dy[i]; });
  });
}

template <class T>
Variable<T> where(std::span<const bool> condition, const Variable<T>& a, const Variable<T>& b) {
  Context<T>& c = context_of("where", {a, b});
  const Tensor<const T> x = c.read(a), z = c.read(b);
  const Tensor<T> y = c.tensor(x.shape);
  if (x.shape != z.shape || std::ssize(condition) != x.size())
    fail("where", "expected a, b and condition of equal shape; got {}, {} and {} conditions", x.shape, z.shape,
         condition.size());
  const std::span<const bool> first = c.keep(condition);
  kernels::map(y, [&](Index i) { return first[i] ? x[i] : z[i]; });

  return c.record("where", {a, b}, y, [first](Backward<T>& back) {
    const Tensor<const T> dy = back.dy();
    back.add(0, [&](Index i) { return first[i] ? dy[i] : T{0}; });
    back.add(1, [&](Index i) { return first[i] ? T{0} : dy[i]; });
  });
}

#define GLOSSA_INSTANTIATE(T)                                                          \
  template Variable<T> masked_fill(const Variable<T>&, std::span<const bool>, double); \
  template Variable<T> where(std::span<const bool>, const Variable<T>&, const Variable<T>&);
GLOSSA_INSTANTIATE(float)
GLOSSA_INSTANTIATE(double)
#undef GLOSSA_INSTANTIATE

}  // namespace glossa
