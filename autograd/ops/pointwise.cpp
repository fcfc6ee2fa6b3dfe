#include <algorithm>
#include <cmath>

#include "autograd/kernels/vector_math.h"
#include "autograd/ops.h"

namespace glossa {

template <class T>
Variable<T> exp(const Variable<T>& x) {
  Context<T>& c = context_of("exp", {x});
  const Tensor<const T> in = c.read(x);
  const Tensor<T> y = c.tensor(in.shape);
  kernels::map(y, [&](Index i) { return kernels::exp(in[i]); });

  return c.record("exp", {x}, y, [y](Backward<T>& back) {
    const Tensor<const T> dy = back.dy();
    back.add(0, [&](Index i) { return dy[i] * y[i]; });
  });
}

template <class T>
Variable<T> log(const Variable<T>& x) {
  Context<T>& c = context_of("log", {x});
  const Tensor<const T> in = c.read(x);
  const Tensor<T> y = c.tensor(in.shape);
  kernels::map(y, [&](Index i) { return std::log(in[i]); });

  return c.record("log", {x}, y, [in](Backward<T>& back) {
    const Tensor<const T> dy = back.dy();
    back.add(0, [&](Index i) { return dy[i] / in[i]; });
  });
}

template <class T>
Variable<T> sqrt(const Variable<T>& x) {
  Context<T>& c = context_of("sqrt", {x});
  const Tensor<const T> in = c.read(x);
  const Tensor<T> y = c.tensor(in.shape);
  kernels::map(y, [&](Index i) { return std::sqrt(in[i]); });

  return c.record("sqrt", {x}, y, [y](Backward<T>& back) {
    const Tensor<const T> dy = back.dy();
    back.add(0, [&](Index i) { return dy[i] / (2 * y[i]); });
  });
}

template <class T>
Variable<T> pow(const Variable<T>& x, double exponent) {
  Context<T>& c = context_of("pow", {x});
  const Tensor<const T> in = c.read(x);
  const Tensor<T> y = c.tensor(in.shape);
  const T e = static_cast<T>(exponent);
  kernels::map(y, [&](Index i) { return std::pow(in[i], e); });

  return c.record("pow", {x}, y, [in, e](Backward<T>& back) {
    const Tensor<const T> dy = back.dy();
    back.add(0, [&](Index i) { return e == 0 ? T{0} : dy[i] * e * std::pow(in[i], e - 1); });
  });
}

template <class T>
Variable<T> square(const Variable<T>& x) {
  Context<T>& c = context_of("square", {x});
  const Tensor<const T> in = c.read(x);
  const Tensor<T> y = c.tensor(in.shape);
  kernels::map(y, [&](Index i) { return in[i] * in[i]; });

  return c.record("square", {x}, y, [in](Backward<T>& back) {
    const Tensor<const T> dy = back.dy();
    back.add(0, [&](Index i) { return dy[i] * (2 * in[i]); });
  });
}

template <class T>
Variable<T> abs(const Variable<T>& x) {
  Context<T>& c = context_of("abs", {x});
  const Tensor<const T> in = c.read(x);
  const Tensor<T> y = c.tensor(in.shape);
  kernels::map(y, [&](Index i) { return std::abs(in[i]); });
  c.add_branches(y.size(), [&](Index i) { return in[i] > 0; });

  return c.record("abs", {x}, y, [in](Backward<T>& back) {
    const Tensor<const T> dy = back.dy();
    back.add(0, [&](Index i) { return dy[i] * static_cast<T>((in[i] > 0) - (in[i] < 0)); });
  });
}

template <class T>
Variable<T> clamp(const Variable<T>& x, double low, double high) {
  Context<T>& c = context_of("clamp", {x});
  if (!(low <= high)) fail("clamp", "expected low <= high; got {} and {} (shape {})", low, high, x.shape());
  const Tensor<const T> in = c.read(x);
  const Tensor<T> y = c.tensor(in.shape);
  const T lower = static_cast<T>(low), upper = static_cast<T>(high);
  kernels::map(y, [&](Index i) { return std::min(std::max(in[i], lower), upper); });  // in this order NaN stays NaN
  c.add_branches(y.size(), [&](Index i) { return in[i] < lower; });
  c.add_branches(y.size(), [&](Index i) { return in[i] > upper; });

  return c.record("clamp", {x}, y, [in, lower, upper](Backward<T>& back) {
    const Tensor<const T> dy = back.dy();
    back.add(0, [&](Index i) {
      const T g = dy[i], v = in[i];  // loaded in both cases, so that the choice is not a branch
      return ((v >= lower) & (v <= upper)) ? g : T{0};
    });
  });
}

#define GLOSSA_INSTANTIATE(T)                           \
  template Variable<T> exp(const Variable<T>&);         \
  template Variable<T> log(const Variable<T>&);         \
  template Variable<T> sqrt(const Variable<T>&);        \
  template Variable<T> pow(const Variable<T>&, double); \
  template Variable<T> square(const Variable<T>&);      \
  template Variable<T> abs(const Variable<T>&);         \
  template Variable<T> clamp(const Variable<T>&, double, double);
GLOSSA_INSTANTIATE(float)
GLOSSA_INSTANTIATE(double)
#undef GLOSSA_INSTANTIATE

}  // namespace glossa
