#include <cmath>

#include "autograd/kernels/argmax.h"
#include "autograd/ops.h"

namespace glossa {

namespace {

/// The tensor to reduce, seen as [outer, extent, inner], over the middle axis. `kept` is the result's shape with that
/// axis left as 1 (it broadcasts to the input), `result` the shape the caller requested.
struct Slices {
  Index outer, extent, inner;
  Shape kept, result;
};

Slices all_of(const Shape& x) { return {1, x.size(), 1, {}, {}}; }

Slices along(const char* op, const Shape& x, int axis, bool keepdim) {
  axis = x.axis(axis, op);
  Slices s{1, x[axis], 1, x.with(axis, 1), keepdim ? x.with(axis, 1) : x.without(axis)};
  for (int i = 0; i < axis; ++i) s.outer *= x[i];
  for (int i = axis + 1; i < x.rank(); ++i) s.inner *= x[i];
  return s;
}

void check_not_empty(const char* op, const Shape& x, const Slices& s) {
  if (s.extent == 0) fail(op, "expected at least one element to reduce; got none in shape {}", x);
}

/// Values of the slices, seen at every element of the input.
template <class T>
Tensor<const T> spread(Backward<T>& back, const Tensor<const T>& x, const Slices& s, const Shape& input) {
  return kernels::expanded(back, Tensor<const T>{x.data, s.kept}, input);
}

/// sum (divisor 1) and mean.
template <class T>
Variable<T> divided_sum(const char* op, const Variable<T>& x, const Slices& s, Index divisor) {
  Context<T>& c = context_of(op, {x});
  const Tensor<const T> in = c.read(x);
  const Tensor<T> y = c.tensor(s.result);
  const T d = static_cast<T>(divisor);
  kernels::reduce<T>({y.data, s.kept}, in, false);
  kernels::map(y, [&](Index k) { return y[k] / d; });

  return c.record(op, {x}, y, [s, d](Backward<T>& back) {
    const Sink<T> dx = back.sink(0);
    const Tensor<const T> dy = spread(back, back.dy(), s, dx.grad.shape);
    dx.write([&](Index i) { return dy[i] / d; });
  });
}

template <class T>
Variable<T> mean_of(const Variable<T>& x, const Slices& s) {
  check_not_empty("mean", x.shape(), s);
  return divided_sum("mean", x, s, s.extent);
}

template <class T>
Variable<T> max_of(const Variable<T>& x, const Slices& s) {
  Context<T>& c = context_of("max", {x});
  check_not_empty("max", x.shape(), s);
  const Tensor<const T> in = c.read(x);
  const Tensor<T> y = c.tensor(s.result);
  const std::span<Index> winners = c.template array<Index>(y.size());  // flat indices of the input
  kernels::argmax(s.outer, s.extent, s.inner, in.data, winners.data());
  kernels::map(y, [&](Index k) { return in[winners[k]]; });
  c.add_branches(in.size(), [&](Index i) { return winners[i / (s.extent * s.inner) * s.inner + i % s.inner] == i; });

  return c.record("max", {x}, y, [winners](Backward<T>& back) {
    const Tensor<const T> dy = back.dy();
    const Tensor<T> dx = back.sink(0).zeroed();
    parallel_ranges(dy.size(), kernels::elementwise_grain, [&](Index begin, Index end) {
      for (Index k = begin; k < end; ++k) dx[winners[k]] += dy[k];
    });
  });
}

template <class T>
Variable<T> norm_of(const Variable<T>& x, const Slices& s) {
  Context<T>& c = context_of("norm", {x});
  const Tensor<const T> in = c.read(x);
  const Tensor<T> y = c.tensor(s.result);
  const Arena::Mark mark = c.scratch_mark();
  const Tensor<T> squares = c.scratch(in.shape);
  kernels::map(squares, [&](Index i) { return in[i] * in[i]; });
  kernels::reduce<T>({y.data, s.kept}, squares, false);
  kernels::map(y, [&](Index k) { return std::sqrt(y[k]); });

  return c.record("norm", {x}, y, [s, in, y](Backward<T>& back) {
    const Sink<T> dx = back.sink(0);
    const Tensor<const T> dy = spread(back, back.dy(), s, in.shape), norm = spread<T>(back, y, s, in.shape);
    dx.write([&](Index i) { return norm[i] == 0 ? T{0} : dy[i] * in[i] / norm[i]; });
  });
}

}  // namespace

template <class T>
Variable<T> sum(const Variable<T>& x) {
  return divided_sum("sum", x, all_of(x.shape()), 1);
}

template <class T>
Variable<T> sum(const Variable<T>& x, int axis, bool keepdim) {
  return divided_sum("sum", x, along("sum", x.shape(), axis, keepdim), 1);
}

template <class T>
Variable<T> mean(const Variable<T>& x) {
  return mean_of(x, all_of(x.shape()));
}

template <class T>
Variable<T> mean(const Variable<T>& x, int axis, bool keepdim) {
  return mean_of(x, along("mean", x.shape(), axis, keepdim));
}

template <class T>
Variable<T> max(const Variable<T>& x) {
  return max_of(x, all_of(x.shape()));
}

template <class T>
Variable<T> max(const Variable<T>& x, int axis, bool keepdim) {
  return max_of(x, along("max", x.shape(), axis, keepdim));
}

template <class T>
Variable<T> norm(const Variable<T>& x) {
  return norm_of(x, all_of(x.shape()));
}

template <class T>
Variable<T> norm(const Variable<T>& x, int axis, bool keepdim) {
  return norm_of(x, along("norm", x.shape(), axis, keepdim));
}

#define GLOSSA_INSTANTIATE(T)                               \
  template Variable<T> sum(const Variable<T>&);             \
  template Variable<T> sum(const Variable<T>&, int, bool);  \
  template Variable<T> mean(const Variable<T>&);            \
  template Variable<T> mean(const Variable<T>&, int, bool); \
  template Variable<T> max(const Variable<T>&);             \
  template Variable<T> max(const Variable<T>&, int, bool);  \
  template Variable<T> norm(const Variable<T>&);            \
  template Variable<T> norm(const Variable<T>&, int, bool);
GLOSSA_INSTANTIATE(float)
GLOSSA_INSTANTIATE(double)
#undef GLOSSA_INSTANTIATE

}  // namespace glossa
