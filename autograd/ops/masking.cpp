#include <algorithm>

#include "autograd/kernels/reduce.h"
#include "autograd/ops.h"

namespace glossa {

namespace {

/// A copy that lives as long as the step.
template <class T, class E>
std::span<const E> keep(Context<T>& c, std::span<const E> values) {
  const std::span<E> copy = c.template array<E>(std::ssize(values));
  std::copy(values.begin(), values.end(), copy.begin());
  return copy;
}

/// Whether some trailing axes of x (none and all of them included) hold `count` elements.
bool has_trailing(const Shape& x, Index count) {
  Index size = 1;
  for (int axis = x.rank() - 1; axis >= 0 && size != count; --axis) size *= x[axis];
  return size == count;
}

}  // namespace

template <class T>
Variable<T> gather(const Variable<T>& x, std::span<const int> indices) {
  Context<T>& c = context_of("gather", {x});
  const Tensor<T> in = x.value();
  const Index rows = in.rows(), cols = in.cols(), count = std::ssize(indices);
  if (in.shape.rank() == 0 || (rows == 0 ? count != 0 : count % rows != 0))
    fail("gather", "expected a multiple of {} indices, the rows of {}; got {}", rows, in.shape, count);
  for (const int index : indices)
    if (index < 0 || index >= cols)
      fail("gather", "expected indices in [0, {}), the columns of {}; got {}", cols, in.shape, index);
  const std::span<const int> at = keep(c, indices);
  const Tensor<T> y = c.tensor(in.shape.with(-1, rows == 0 ? 0 : count / rows));
  const auto for_each_row = [width = y.cols(), rows](const auto& f) {
    parallel_ranges(rows, kernels::row_grain(width), [&](Index begin, Index end) {
      for (Index row = begin; row < end; ++row)
        for (Index i = row * width; i < (row + 1) * width; ++i) f(row, i);
    });
  };
  for_each_row([&](Index row, Index i) { y[i] = in.row(row)[at[i]]; });

  return c.record("gather", {x}, y, [at, for_each_row](Backward<T>& back) {
    const Tensor<T> dy = back.dy();
    const Sink<T> dx = back.sink(0);
    if (!dx.add) kernels::map(dx.grad, [](Index) { return T{0}; });
    for_each_row([&](Index row, Index i) { dx.grad.row(row)[at[i]] += dy[i]; });  // a row may repeat an index
  });
}

template <class T>
Variable<T> masked_fill(const Variable<T>& x, std::span<const bool> mask, double value) {
  Context<T>& c = context_of("masked_fill", {x});
  const Tensor<T> in = x.value(), y = c.tensor(in.shape);
  const Index count = std::ssize(mask);
  if (!has_trailing(in.shape, count))
    fail("masked_fill", "expected as many mask elements as x, of shape {}, or its trailing axes have; got {}", in.shape,
         count);
  const std::span<const bool> kept = keep(c, mask);
  const T fill = static_cast<T>(value);
  const Shape folded{in.size() / std::max<Index>(1, count), count}, row{1, count};  // the mask repeats in every row
  kernels::map_broadcast(Tensor<T>{y.data, folded}, folded, row,
                         [&](Index i, Index, Index k) { return kept[k] ? in[i] : fill; });

  return c.record("masked_fill", {x}, y, [kept, folded, row](Backward<T>& back) {
    const Tensor<T> dy = back.dy();
    const Sink<T> dx = back.sink(0);
    const Tensor<T> grad{dx.grad.data, folded};
    kernels::map_broadcast(grad, folded, row, [&, add = dx.add](Index i, Index, Index k) {
      const T before = add ? grad[i] : T{0};
      return kept[k] ? before + dy[i] : before;
    });
  });
}

template <class T>
Variable<T> where(std::span<const bool> condition, const Variable<T>& a, const Variable<T>& b) {
  Context<T>& c = context_of("where", {a, b});
  const Tensor<T> x = a.value(), z = b.value(), y = c.tensor(x.shape);
  if (x.shape != z.shape || std::ssize(condition) != x.size())
    fail("where", "expected a, b and condition of one shape; got {}, {} and {} conditions", x.shape, z.shape,
         condition.size());
  const std::span<const bool> first = keep(c, condition);
  kernels::map(y, [&](Index i) { return first[i] ? x[i] : z[i]; });

  return c.record("where", {a, b}, y, [first](Backward<T>& back) {
    const Tensor<T> dy = back.dy();
    back.add(0, [&](Index i) { return first[i] ? dy[i] : T{0}; });
    back.add(1, [&](Index i) { return first[i] ? T{0} : dy[i]; });
  });
}

#define GLOSSA_INSTANTIATE(T)                                                          \
  template Variable<T> gather(const Variable<T>&, std::span<const int>);               \
  template Variable<T> masked_fill(const Variable<T>&, std::span<const bool>, double); \
  template Variable<T> where(std::span<const bool>, const Variable<T>&, const Variable<T>&);
GLOSSA_INSTANTIATE(float)
GLOSSA_INSTANTIATE(double)

}  // namespace glossa
