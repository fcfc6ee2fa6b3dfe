#include <functional>

#include "autograd/ops/elementwise_op.h"

namespace glossa {

namespace {

/// f(a, b) elementwise, with broadcasting.
template <class T, class F>
Tensor<T> combined(const char* op, Context<T>& c, const Tensor<const T>& a, const Tensor<const T>& b, const F& f) {
  const Tensor<T> y = c.tensor(broadcast(a.shape, b.shape, op));
  const Arena::Mark mark = c.scratch_mark();
  const Tensor<const T> x = kernels::expanded(c, a, y.shape), z = kernels::expanded(c, b, y.shape);
  kernels::map(y, [&](Index i) { return f(x[i], z[i]); });
  return y;
}

}  // namespace

template <class T>
Variable<T> add(const Variable<T>& a, const Variable<T>& b) {
  Context<T>& c = context_of("add", {a, b});
  const Tensor<T> y = combined("add", c, c.read(a), c.read(b), std::plus<T>());

  return c.record("add", {a, b}, y, [](Backward<T>& back) {
    const Tensor<const T> dy = back.dy();
    back.add(0, [&](Index i) { return dy[i]; });
    back.add(1, [&](Index i) { return dy[i]; });
  });
}

template <class T>
Variable<T> sub(const Variable<T>& a, const Variable<T>& b) {
  Context<T>& c = context_of("sub", {a, b});
  const Tensor<T> y = combined("sub", c, c.read(a), c.read(b), std::minus<T>());

  return c.record("sub", {a, b}, y, [](Backward<T>& back) {
    const Tensor<const T> dy = back.dy();
    back.add(0, [&](Index i) { return dy[i]; });
    back.add(1, [&](Index i) { return -dy[i]; });
  });
}

template <class T>
Variable<T> mul(const Variable<T>& a, const Variable<T>& b) {
  Context<T>& c = context_of("mul", {a, b});
  const Tensor<const T> x = c.read(a), z = c.read(b);
  const Tensor<T> y = combined("mul", c, x, z, std::multiplies<T>());

  return c.record("mul", {a, b}, y, [x, z](Backward<T>& back) {
    const Tensor<const T> dy = back.dy();
    const Tensor<const T> left = kernels::expanded(back, x, dy.shape), right = kernels::expanded(back, z, dy.shape);
    back.add(0, [&](Index i) { return dy[i] * right[i]; });
    back.add(1, [&](Index i) { return dy[i] * left[i]; });
  });
}

template <class T>
Variable<T> div(const Variable<T>& a, const Variable<T>& b) {
  Context<T>& c = context_of("div", {a, b});
  const Tensor<const T> x = c.read(a), z = c.read(b);
  const Tensor<T> y = combined("div", c, x, z, std::divides<T>());

  return c.record("div", {a, b}, y, [y, z](Backward<T>& back) {
    const Tensor<const T> dy = back.dy(), divisor = kernels::expanded(back, z, dy.shape);
    back.add(0, [&](Index i) { return dy[i] / divisor[i]; });
    back.add(1, [&](Index i) { return -dy[i] * y[i] / divisor[i]; });
  });
}

namespace {

template <class T>
Variable<T> scaled(const char* op, const Variable<T>& x, double factor) {
  const T s = static_cast<T>(factor);
  return elementwise(
      op, x, [s](T v) { return s * v; }, [s](T dy, T, T) { return s * dy; });
}

/// minimum and maximum. `prefers_a(a, b)` is true if the result is a.
template <class T, class Prefers>
Variable<T> select(const char* op, const Variable<T>& a, const Variable<T>& b, const Prefers& prefers_a) {
  Context<T>& c = context_of(op, {a, b});
  const Tensor<const T> x = c.read(a), z = c.read(b);
  const Tensor<T> y = c.tensor(broadcast(x.shape, z.shape, op));
  const Arena::Mark mark = c.scratch_mark();
  const Tensor<const T> first = kernels::expanded(c, x, y.shape), second = kernels::expanded(c, z, y.shape);
  kernels::map(y, [&](Index i) {
    const T left = first[i], right = second[i];
    return prefers_a(right, left) || right != right ? right : left;  // propagates NaN from either side
  });
  c.add_branches(y.size(), [&](Index i) { return prefers_a(first[i], second[i]); });

  return c.record(op, {a, b}, y, [x, z](Backward<T>& back) {
    const Tensor<const T> dy = back.dy();
    const Tensor<const T> left = kernels::expanded(back, x, dy.shape), right = kernels::expanded(back, z, dy.shape);
    const auto share = [](T mine, T other) { return mine == other ? T(0.5) : T(Prefers{}(mine, other)); };
    back.add(0, [&](Index i) { return dy[i] * share(left[i], right[i]); });
    back.add(1, [&](Index i) { return dy[i] * share(right[i], left[i]); });
  });
}

}  // namespace

template <class T>
Variable<T> neg(const Variable<T>& x) {
  return scaled("neg", x, -1.0);
}

template <class T>
Variable<T> scale(const Variable<T>& x, double factor) {
  return scaled("scale", x, factor);
}

template <class T>
Variable<T> minimum(const Variable<T>& a, const Variable<T>& b) {
  return select("minimum", a, b, std::less<T>{});
}

template <class T>
Variable<T> maximum(const Variable<T>& a, const Variable<T>& b) {
  return select("maximum", a, b, std::greater<T>{});
}

#define GLOSSA_INSTANTIATE(T)                                           \
  template Variable<T> add(const Variable<T>&, const Variable<T>&);     \
  template Variable<T> sub(const Variable<T>&, const Variable<T>&);     \
  template Variable<T> mul(const Variable<T>&, const Variable<T>&);     \
  template Variable<T> div(const Variable<T>&, const Variable<T>&);     \
  template Variable<T> neg(const Variable<T>&);                         \
  template Variable<T> scale(const Variable<T>&, double);               \
  template Variable<T> minimum(const Variable<T>&, const Variable<T>&); \
  template Variable<T> maximum(const Variable<T>&, const Variable<T>&);
GLOSSA_INSTANTIATE(float)
GLOSSA_INSTANTIATE(double)
#undef GLOSSA_INSTANTIATE

}  // namespace glossa
