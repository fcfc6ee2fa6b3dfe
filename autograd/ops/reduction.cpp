#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "autograd/kernels/argmax.h"
#include "autograd/ops.h"

namespace glossa {

namespace {

/// Shapes of a reduction. `kept` has extent 1 for each reduced axis, which makes it broadcast to the input. `result` is
/// the requested shape. Each element of the result comes from `count` elements of the input.
struct Reduction {
  Shape kept, result;
  Index count;
};

Reduction over(const char* op, const Shape& x, const Axes& axes, bool keepdim) {
  const std::span<const int> list = axes;
  if (list.empty() && !axes.is_every())
    fail(op, "expected at least one axis of {}; got none. Hint: without a list, all are reduced", x);
  std::array<bool, Shape::max_rank> reduced;
  reduced.fill(axes.is_every());
  for (const int given : list) {
    const int axis = x.axis(given, op);
    if (reduced[axis]) fail(op, "expected different axes of {}; got axis {} twice", x, axis);
    reduced[axis] = true;
  }
  Reduction r{x, x, 1};
  for (int axis = x.rank() - 1; axis >= 0; --axis) {
    if (!reduced[axis]) continue;
    r.count *= x[axis];
    r.kept = r.kept.with(axis, 1);
    r.result = keepdim ? r.kept : r.result.without(axis);
  }
  return r;
}

/// A tensor viewed as [outer, extent, inner], to be reduced over the middle axis.
struct Slices {
  Index outer, extent, inner;
};

Slices along(const char* op, const Shape& x, int axis) {
  axis = x.axis(axis, op);
  Slices s{1, x[axis], 1};
  for (int i = 0; i < axis; ++i) s.outer *= x[i];
  for (int i = axis + 1; i < x.rank(); ++i) s.inner *= x[i];
  return s;
}

void check_not_empty(const char* op, const Shape& x, Index count) {
  if (count == 0) fail(op, "expected at least one element to reduce; got none in shape {}", x);
}

/// Expands numbers of the result's shape to the input's shape.
template <class T>
Tensor<const T> spread(Backward<T>& back, const Tensor<const T>& x, const Reduction& r, const Shape& input) {
  return kernels::expanded(back, Tensor<const T>{x.data, r.kept}, input);
}

/// sum (divisor 1) and mean.
template <class T>
Variable<T> divided_sum(const char* op, const Variable<T>& x, const Reduction& r, Index divisor) {
  Context<T>& c = context_of(op, {x});
  const Tensor<const T> in = c.read(x);
  const Tensor<T> y = c.tensor(r.result);
  const T d = static_cast<T>(divisor);
  kernels::reduce<T>({y.data, r.kept}, in, false);
  kernels::map(y, [&](Index k) { return y[k] / d; });

  return c.record(op, {x}, y, [r, d](Backward<T>& back) {
    const Sink<T> dx = back.sink(0);
    const Tensor<const T> dy = spread(back, back.dy(), r, dx.grad.shape);
    dx.write([&](Index i) { return dy[i] / d; });
  });
}

/// Flat index of the first maximum of each slice, [outer, inner].
template <class T>
std::span<const Index> winners_of(const char* op, Context<T>& c, const Tensor<const T>& in, const Slices& s) {
  check_not_empty(op, in.shape, s.extent);
  const std::span<Index> winners = c.template array<Index>(s.outer * s.inner);
  kernels::argmax(s.outer, s.extent, s.inner, in.data, winners.data());
  c.add_branches(in.size(), [&](Index i) { return winners[i / (s.extent * s.inner) * s.inner + i % s.inner] == i; });
  return winners;
}

template <class T>
Variable<T> max_of(const Variable<T>& x, const Slices& s, const Shape& result) {
  Context<T>& c = context_of("max", {x});
  const Tensor<const T> in = c.read(x);
  const std::span<const Index> winners = winners_of("max", c, in, s);
  const Tensor<T> y = c.tensor(result);
  kernels::map(y, [&](Index k) { return in[winners[k]]; });

  return c.record("max", {x}, y, [winners](Backward<T>& back) {
    const Tensor<const T> dy = back.dy();
    const Tensor<T> dx = back.sink(0).zeroed();
    parallel_ranges(dy.size(), kernels::elementwise_grain, [&](Index begin, Index end) {
      for (Index k = begin; k < end; ++k) dx[winners[k]] += dy[k];
    });
  });
}

/// Subtracts from x the mean of the elements that are reduced together, so that the deviations add up to 0. The second
/// subtraction removes the rounding error of the first mean (Chan, Golub and LeVeque 1983). Numbers that are large
/// compared with their deviations therefore lose nothing.
template <class T>
Tensor<T> centered(Context<T>& c, const Tensor<const T>& x, const Reduction& r) {
  const Tensor<T> y = c.tensor(x.shape);
  const Arena::Mark mark = c.scratch_mark();
  const Tensor<T> mean = c.scratch(r.kept), mean_at = c.scratch(x.shape);
  const auto subtract_mean = [&](const Tensor<const T>& from) {
    kernels::reduce(mean, from, false);
    kernels::map(mean, [&](Index k) { return mean[k] / static_cast<T>(r.count); });
    kernels::expand<T>(mean_at, mean);
    kernels::map(y, [&](Index i) { return from[i] - mean_at[i]; });
  };
  subtract_mean(x);
  subtract_mean(y);
  return y;
}

/// Divisor of a variance.
template <class T>
T divisor_of(const char* op, const Shape& x, const Reduction& r, int correction) {
  if (correction < 0 || r.count <= correction)
    fail(op, "expected 0 <= correction < {} (elements to reduce of {}); got {}. Hint: 0 divides by their number",
         r.count, x, correction);
  return static_cast<T>(r.count - correction);
}

/// finish(sum of x^2) over each reduction.
template <class T, class Finish>
Tensor<T> of_squares(Context<T>& c, const Tensor<const T>& x, const Reduction& r, const Finish& finish) {
  const Tensor<T> y = c.tensor(r.result);
  const Arena::Mark mark = c.scratch_mark();
  const Tensor<T> squares = c.scratch(x.shape);
  kernels::map(squares, [&](Index i) { return x[i] * x[i]; });
  kernels::reduce<T>({y.data, r.kept}, squares, false);
  kernels::map(y, [&](Index k) { return finish(y[k]); });
  return y;
}

}  // namespace

template <class T>
Variable<T> sum(const Variable<T>& x, const Axes& axes, bool keepdim) {
  return divided_sum("sum", x, over("sum", x.shape(), axes, keepdim), 1);
}

template <class T>
Variable<T> mean(const Variable<T>& x, const Axes& axes, bool keepdim) {
  const Reduction r = over("mean", x.shape(), axes, keepdim);
  check_not_empty("mean", x.shape(), r.count);
  return divided_sum("mean", x, r, r.count);
}

template <class T>
Variable<T> max(const Variable<T>& x) {
  return max_of(x, {1, x.size(), 1}, {});
}

template <class T>
Variable<T> max(const Variable<T>& x, int axis, bool keepdim) {
  return max_of(x, along("max", x.shape(), axis), over("max", x.shape(), axis, keepdim).result);
}

template <class T>
std::span<const int> argmax(const Variable<T>& x, int axis) {
  Context<T>& c = context_of("argmax", {x});
  const Slices s = along("argmax", x.shape(), axis);
  constexpr Index limit = std::numeric_limits<int>::max();
  if (s.extent > limit) fail("argmax", "expected an axis of at most {} elements; got {}", limit, x.shape());
  const std::span<const Index> winners = winners_of("argmax", c, c.read(x), s);
  const std::span<int> indices = c.template array<int>(std::ssize(winners));
  std::ranges::transform(winners, indices.begin(), [&](Index i) { return static_cast<int>(i / s.inner % s.extent); });
  return indices;
}

template <class T>
Variable<T> norm(const Variable<T>& x, const Axes& axes, bool keepdim) {
  const Reduction r = over("norm", x.shape(), axes, keepdim);
  Context<T>& c = context_of("norm", {x});
  const Tensor<const T> in = c.read(x);
  const Tensor<T> y = of_squares(c, in, r, [](T sum) { return std::sqrt(sum); });

  return c.record("norm", {x}, y, [r, in, y](Backward<T>& back) {
    const Sink<T> dx = back.sink(0);
    const Tensor<const T> dy = spread(back, back.dy(), r, in.shape), norm = spread<T>(back, y, r, in.shape);
    dx.write([&](Index i) { return norm[i] == 0 ? T{0} : dy[i] * in[i] / norm[i]; });
  });
}

template <class T>
Variable<T> var(const Variable<T>& x, const Axes& axes, bool keepdim, int correction) {
  const Reduction r = over("var", x.shape(), axes, keepdim);
  Context<T>& c = context_of("var", {x});
  const T d = divisor_of<T>("var", x.shape(), r, correction);
  const Tensor<const T> deviation = centered(c, c.read(x), r);
  const Tensor<T> y = of_squares(c, deviation, r, [d](T sum) { return sum / d; });

  return c.record("var", {x}, y, [r, deviation, d](Backward<T>& back) {
    const Tensor<const T> dy = spread(back, back.dy(), r, deviation.shape);
    back.sink(0).write([&](Index i) { return dy[i] * 2 * deviation[i] / d; });
  });
}

template <class T>
Variable<T> stddev(const Variable<T>& x, const Axes& axes, bool keepdim, int correction) {
  const Reduction r = over("stddev", x.shape(), axes, keepdim);
  Context<T>& c = context_of("stddev", {x});
  const T d = divisor_of<T>("stddev", x.shape(), r, correction);
  const Tensor<const T> deviation = centered(c, c.read(x), r);
  const Tensor<T> y = of_squares(c, deviation, r, [d](T sum) { return std::sqrt(sum / d); });

  return c.record("stddev", {x}, y, [r, deviation, y, d](Backward<T>& back) {
    const Shape& shape = deviation.shape;
    const Tensor<const T> dy = spread(back, back.dy(), r, shape), s = spread<T>(back, y, r, shape);
    back.sink(0).write([&](Index i) { return s[i] == 0 ? T{0} : dy[i] * deviation[i] / (s[i] * d); });
  });
}

#define GLOSSA_INSTANTIATE(T)                                           \
  template Variable<T> sum(const Variable<T>&, const Axes&, bool);      \
  template Variable<T> mean(const Variable<T>&, const Axes&, bool);     \
  template Variable<T> max(const Variable<T>&);                         \
  template Variable<T> max(const Variable<T>&, int, bool);              \
  template std::span<const int> argmax(const Variable<T>&, int);        \
  template Variable<T> norm(const Variable<T>&, const Axes&, bool);     \
  template Variable<T> var(const Variable<T>&, const Axes&, bool, int); \
  template Variable<T> stddev(const Variable<T>&, const Axes&, bool, int);
GLOSSA_INSTANTIATE(float)
GLOSSA_INSTANTIATE(double)
#undef GLOSSA_INSTANTIATE

}  // namespace glossa
