#include "autograd/kernels/elementwise.h"
#include "autograd/ops.h"

namespace glossa {

template <class T>
Variable<T> add(const Variable<T>& a, const Variable<T>& b) {
  Context<T>& c = context_of("add", {a, b});
  const Tensor<T> x = a.value(), z = b.value(), y = c.tensor(broadcast(x.shape, z.shape, "add"));
  kernels::map_broadcast(y, x.shape, z.shape, [&](Index, Index i, Index j) { return x[i] + z[j]; });

  return c.record("add", {a, b}, y, [](Backward<T>& back) {
    const Tensor<T> dy = back.dy();
    back.add(0, [&](Index i) { return dy[i]; });
    back.add(1, [&](Index i) { return dy[i]; });
  });
}

template <class T>
Variable<T> sub(const Variable<T>& a, const Variable<T>& b) {
  Context<T>& c = context_of("sub", {a, b});
  const Tensor<T> x = a.value(), z = b.value(), y = c.tensor(broadcast(x.shape, z.shape, "sub"));
  kernels::map_broadcast(y, x.shape, z.shape, [&](Index, Index i, Index j) { return x[i] - z[j]; });

  return c.record("sub", {a, b}, y, [](Backward<T>& back) {
    const Tensor<T> dy = back.dy();
    back.add(0, [&](Index i) { return dy[i]; });
    back.add(1, [&](Index i) { return -dy[i]; });
  });
}

template <class T>
Variable<T> mul(const Variable<T>& a, const Variable<T>& b) {
  Context<T>& c = context_of("mul", {a, b});
  const Tensor<T> x = a.value(), z = b.value(), y = c.tensor(broadcast(x.shape, z.shape, "mul"));
  kernels::map_broadcast(y, x.shape, z.shape, [&](Index, Index i, Index j) { return x[i] * z[j]; });

  return c.record("mul", {a, b}, y, [x, z](Backward<T>& back) {
    const Tensor<T> dy = back.dy();
    const kernels::BroadcastIndex of_x(x.shape, dy.shape), of_z(z.shape, dy.shape);
    back.add(0, [&](Index i) { return dy[i] * z[of_z(i)]; });
    back.add(1, [&](Index i) { return dy[i] * x[of_x(i)]; });
  });
}

template <class T>
Variable<T> div(const Variable<T>& a, const Variable<T>& b) {
  Context<T>& c = context_of("div", {a, b});
  const Tensor<T> x = a.value(), z = b.value(), y = c.tensor(broadcast(x.shape, z.shape, "div"));
  kernels::map_broadcast(y, x.shape, z.shape, [&](Index, Index i, Index j) { return x[i] / z[j]; });

  return c.record("div", {a, b}, y, [y, z](Backward<T>& back) {
    const Tensor<T> dy = back.dy();
    const kernels::BroadcastIndex of_z(z.shape, dy.shape);
    back.add(0, [&](Index i) { return dy[i] / z[of_z(i)]; });
    back.add(1, [&](Index i) { return -dy[i] * y[i] / z[of_z(i)]; });
  });
}

template <class T>
Variable<T> neg(const Variable<T>& x) {
  return scale(x, -1.0);
}

template <class T>
Variable<T> scale(const Variable<T>& x, double factor) {
  Context<T>& c = context_of("scale", {x});
  const Tensor<T> in = x.value(), y = c.tensor(in.shape);
  const T s = static_cast<T>(factor);
  kernels::map(y, [&](Index i) { return s * in[i]; });

  return c.record("scale", {x}, y, [s](Backward<T>& back) {
    const Tensor<T> dy = back.dy();
    back.add(0, [&](Index i) { return s * dy[i]; });
  });
}

namespace {

/// minimum and maximum: `prefers_a(a, b)` says that the result is a and not b.
template <class T, class Prefers>
Variable<T> select(const char* op, const Variable<T>& a, const Variable<T>& b, const Prefers& prefers_a) {
  Context<T>& c = context_of(op, {a, b});
  const Tensor<T> x = a.value(), z = b.value(), y = c.tensor(broadcast(x.shape, z.shape, op));
  kernels::map_broadcast(y, x.shape, z.shape, [&](Index, Index i, Index j) {
    return prefers_a(z[j], x[i]) || z[j] != z[j] ? z[j] : x[i];  // NaN stays NaN, from either side
  });
  const kernels::BroadcastIndex of_x(x.shape, y.shape), of_z(z.shape, y.shape);
  c.add_branches(y.size(), [&](Index i) { return prefers_a(x[of_x(i)], z[of_z(i)]); });

  return c.record(op, {a, b}, y, [x, z, of_x, of_z](Backward<T>& back) {
    const Tensor<T> dy = back.dy();
    const auto share = [&](T mine, T other) { return mine == other ? T(0.5) : T(Prefers{}(mine, other)); };
    back.add(0, [&](Index i) { return dy[i] * share(x[of_x(i)], z[of_z(i)]); });
    back.add(1, [&](Index i) { return dy[i] * share(z[of_z(i)], x[of_x(i)]); });
  });
}

}  // namespace

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

}  // namespace glossa
