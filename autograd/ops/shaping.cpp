#include <algorithm>
#include <numeric>

#include "autograd/kernels/permute.h"
#include "autograd/ops.h"

namespace glossa {

namespace {

using Strides = std::array<Index, Shape::max_rank>;

/// A rectangle of memory, whose rows start `stride` elements apart.
template <class T>
struct Block {
  T* data;
  Index stride;
};

/// to = from, or to += from, for a rectangle of rows x width.
template <class T>
void copy_block(Block<T> to, Block<const T> from, Index rows, Index width, bool add) {
  parallel_ranges(rows * width, kernels::elementwise_grain, [&](Index begin, Index end) {
    while (begin < end) {
      const Index row = begin / width, col = begin % width, run = std::min(width - col, end - begin);
      T* target = to.data + row * to.stride + col;
      const T* source = from.data + row * from.stride + col;
      kernels::write_row(run, target, add, [source](Index j) { return source[j]; });
      begin += run;
    }
  });
}

/// Axis i of the result is axis `axes[i]` of x.
template <class T>
Variable<T> permuted(const char* op, const Variable<T>& x, std::span<const int> axes) {
  Context<T>& c = context_of(op, {x});
  const Tensor<const T> in = c.read(x);
  const int rank = in.shape.rank();
  Shape shape = in.shape;
  for (int i = 0; i < rank; ++i) shape = shape.with(i, in.shape[axes[i]]);
  const Tensor<T> y = c.tensor(shape);
  const Strides strides_x = broadcast_strides(in.shape, in.shape), strides_y = broadcast_strides(shape, shape);
  Strides in_x{}, in_y{};  // strides in x for traversing y, and in y for traversing x
  for (int i = 0; i < rank; ++i) {
    const int pad = Shape::max_rank - rank;
    in_x[i + pad] = strides_x[axes[i] + pad];
    in_y[axes[i] + pad] = strides_y[i + pad];
  }
  kernels::permute(y, in.data, in_x, false);

  return c.record(op, {x}, y, [in_y](Backward<T>& back) {
    const Sink<T> dx = back.sink(0);
    kernels::permute(dx.grad, back.dy().data, in_y, dx.add);
  });
}

/// Places the parts side by side. Each part counts as [outer, its size / outer]; the result has `shape`.
template <class T>
Variable<T> joined(const char* op, Context<T>& c, std::span<const Variable<T>> parts, const Shape& shape, Index outer) {
  const Tensor<T> y = c.tensor(shape);
  const std::span<Index> widths = c.template array<Index>(std::ssize(parts));
  std::transform(parts.begin(), parts.end(), widths.begin(),
                 [&](const Variable<T>& part) { return part.size() / std::max<Index>(1, outer); });
  const Index stride = std::accumulate(widths.begin(), widths.end(), Index{0});
  T* at = y.data;
  for (std::size_t p = 0; p < parts.size(); ++p) {
    copy_block<T>({at, stride}, {c.read(parts[p]).data, widths[p]}, outer, widths[p], false);
    at += widths[p];
  }

  return c.record(op, parts, y, [widths, outer, stride](Backward<T>& back) {
    const T* from = back.dy().data;
    for (std::size_t p = 0; p < widths.size(); ++p) {
      if (const Sink<T> dx = back.optional_sink(static_cast<int>(p)))
        copy_block<T>({dx.grad.data, widths[p]}, {from, stride}, outer, widths[p], dx.add);
      from += widths[p];
    }
  });
}

/// Number of elements of the axes before `axis`.
Index size_before(const Shape& shape, int axis) {
  Index size = 1;
  for (int i = 0; i < axis; ++i) size *= shape[i];
  return size;
}

/// Converts an index or bound that may be negative, counted from the end, to one counted from the start.
Index from_start(Index index, Index extent) { return index < 0 ? index + extent : index; }

}  // namespace

template <class T>
Variable<T> reshape(const Variable<T>& x, const Shape& shape) {
  Context<T>& c = context_of("reshape", {x});
  if (x.size() != shape.size())
    fail("reshape", "expected a shape of {} elements for {}; got {} with {}", x.size(), x.shape(), shape, shape.size());

  // The value shares the input's memory, because values never change.
  return c.record("reshape", {x}, Tensor<const T>{c.read(x).data, shape}, [](Backward<T>& back) {
    const Tensor<const T> dy = back.dy();
    back.sink(0).write([&](Index i) { return dy[i]; });
  });
}

template <class T>
Variable<T> reshape(const Variable<T>& x, std::span<const Index> extents) {
  const auto open = std::ranges::find(extents, Index{-1});
  if (open == extents.end()) return reshape(x, Shape(extents));
  context_of("reshape", {x});
  const auto open_count = std::ranges::count(extents, Index{-1});
  check(open_count == 1 && extents.size() <= Shape::max_rank, "reshape",
        "expected at most {} extents and at most one -1; got {} and {}", +Shape::max_rank, extents.size(), open_count);
  std::array<Index, Shape::max_rank> known{};
  std::ranges::replace_copy(extents, known.begin(), Index{-1}, Index{1});
  const Shape rest(std::span<const Index>(known).first(extents.size()));
  const Index size = rest.size();
  check(size != 0 && x.size() % size == 0, "reshape",
        "expected extents whose product divides {}, the elements of {}; got {} beside -1", x.size(), x.shape(), size);
  return reshape(x, rest.with(static_cast<int>(open - extents.begin()), x.size() / size));
}

template <class T>
Variable<T> transpose(const Variable<T>& x, int axis_a, int axis_b) {
  std::array<int, Shape::max_rank> axes;
  std::iota(axes.begin(), axes.end(), 0);
  std::swap(axes[x.shape().axis(axis_a, "transpose")], axes[x.shape().axis(axis_b, "transpose")]);
  return permuted("transpose", x, axes);
}

template <class T>
Variable<T> permute(const Variable<T>& x, const Axes& list) {
  const std::span<const int> axes = list;
  const int rank = x.shape().rank();
  std::array<int, Shape::max_rank> order{};
  bool valid = std::ssize(axes) == rank;
  for (int i = 0, seen = 0; valid && i < rank; ++i) {
    order[i] = x.shape().axis(axes[i], "permute");
    valid = !(seen >> order[i] & 1);
    seen |= 1 << order[i];
  }
  if (!valid)
    fail("permute", "expected each of the {} axes of {} once; got {} axes, or one twice", rank, x.shape(), axes.size());
  return permuted("permute", x, order);
}

template <class T>
Variable<T> concat(std::span<const Variable<T>> parts, int axis) {
  Context<T>& c = context_of("concat", parts);
  const Shape& first = parts.front().shape();
  axis = first.axis(axis, "concat");
  Index extent = 0;
  for (const Variable<T>& part : parts) {
    const Shape& shape = part.shape();
    if (shape.rank() != first.rank() || shape.with(axis, 0) != first.with(axis, 0))
      fail("concat", "expected shapes that agree except along axis {}; got {} and {}", axis, first, shape);
    extent += shape[axis];
  }
  return joined("concat", c, parts, first.with(axis, extent), size_before(first, axis));
}

template <class T>
Variable<T> stack(std::span<const Variable<T>> parts, int axis) {
  Context<T>& c = context_of("stack", parts);
  const Shape& first = parts.front().shape();
  const int rank = first.rank() + 1;
  if (rank > Shape::max_rank || axis < -rank || axis >= rank)
    fail("stack", "expected at most {} axes, and an axis in [{}, {}) for shape {}; got {}", Shape::max_rank - 1, -rank,
         rank, first, axis);
  if (axis < 0) axis += rank;
  for (const Variable<T>& part : parts)
    if (part.shape() != first) fail("stack", "expected equal shapes; got {} and {}", first, part.shape());
  return joined("stack", c, parts, first.inserted(axis, std::ssize(parts)), size_before(first, axis));
}

template <class T>
Variable<T> slice(const Variable<T>& x, int axis, Index begin, Index end) {
  Context<T>& c = context_of("slice", {x});
  const Tensor<const T> in = c.read(x);
  axis = in.shape.axis(axis, "slice");
  const Index extent = in.shape[axis], first = from_start(begin, extent), last = from_start(end, extent);
  if (first < 0 || first > last || last > extent)
    fail("slice", "expected begin <= end in [{}, {}] (axis {} of {}); got {} and {}", -extent, extent, axis, in.shape,
         begin, end);
  const Tensor<T> y = c.tensor(in.shape.with(axis, last - first));
  const Index outer = size_before(in.shape, axis), inner = in.size() / std::max<Index>(1, outer * extent);
  const Index stride = extent * inner, offset = first * inner, width = (last - first) * inner;
  copy_block<T>({y.data, width}, {in.data + offset, stride}, outer, width, false);

  return c.record("slice", {x}, y, [outer, stride, offset, width](Backward<T>& back) {
    const Tensor<T> dx = back.sink(0).zeroed();
    copy_block<T>({dx.data + offset, stride}, {back.dy().data, width}, outer, width, true);
  });
}

template <class T>
Variable<T> select(const Variable<T>& x, int axis, Index index) {
  context_of("select", {x});
  const Index extent = x.shape()[axis = x.shape().axis(axis, "select")];
  check(index >= -extent && index < extent, "select", "expected an index in [{}, {}), axis {} of {}; got {}", -extent,
        extent, axis, x.shape(), index);
  index = from_start(index, extent);
  return reshape(slice(x, axis, index, index + 1), x.shape().without(axis));
}

template <class T>
std::vector<Variable<T>> split(const Variable<T>& x, std::span<const Index> lengths, int axis) {
  context_of("split", {x});
  axis = x.shape().axis(axis, "split");
  const Index total = std::accumulate(lengths.begin(), lengths.end(), Index{0});
  const bool negative = std::any_of(lengths.begin(), lengths.end(), [](Index length) { return length < 0; });
  if (negative || total != x.shape()[axis])
    fail("split", "expected lengths >= 0 that add up to {} (axis {} of {}); got a sum of {}{}", x.shape()[axis], axis,
         x.shape(), total, negative ? " with a negative length" : "");
  std::vector<Variable<T>> pieces;
  pieces.reserve(lengths.size());
  Index begin = 0;
  for (const Index length : lengths) {
    pieces.push_back(slice(x, axis, begin, begin + length));
    begin += length;
  }
  return pieces;
}

template <class T>
Variable<T> full(Context<T>& context, const Shape& shape, double value) {
  const Tensor<T> y = context.tensor(shape);
  kernels::map(y, [x = static_cast<T>(value)](Index) { return x; });
  return context.constant(y);
}

template <class T>
Variable<T> stop_gradient(const Variable<T>& x) {
  return context_of("stop_gradient", {x}).constant(x.value());
}

#define GLOSSA_INSTANTIATE(T)                                                               \
  template Variable<T> reshape(const Variable<T>&, const Shape&);                           \
  template Variable<T> reshape(const Variable<T>&, std::span<const Index>);                 \
  template Variable<T> transpose(const Variable<T>&, int, int);                             \
  template Variable<T> permute(const Variable<T>&, const Axes&);                            \
  template Variable<T> concat(std::span<const Variable<T>>, int);                           \
  template Variable<T> stack(std::span<const Variable<T>>, int);                            \
  template Variable<T> slice(const Variable<T>&, int, Index, Index);                        \
  template Variable<T> select(const Variable<T>&, int, Index);                              \
  template std::vector<Variable<T>> split(const Variable<T>&, std::span<const Index>, int); \
  template Variable<T> full(Context<T>&, const Shape&, double);                             \
  template Variable<T> stop_gradient(const Variable<T>&);
GLOSSA_INSTANTIATE(float)
GLOSSA_INSTANTIATE(double)
#undef GLOSSA_INSTANTIATE

}  // namespace glossa
