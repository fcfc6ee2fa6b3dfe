#include <cmath>
#include <numbers>

#include "autograd/kernels/row.h"
#include "autograd/kernels/vector_math.h"
#include "autograd/ops.h"
#include "autograd/ops/rounded_rows.h"

namespace glossa {

namespace {

/// Value and derivative of a gate's function at one number.
template <class T>
struct GatePoint {
  T value, slope;
};

/// x sigmoid(x).
struct SiluGate {
  template <class T>
  static GatePoint<T> at(T x) {
    const T s = kernels::sigmoid(x);
    return {x * s, s * (1 + x * (1 - s))};
  }
};

/// x Phi(x), with the normal distribution function Phi.
struct GeluGate {
  template <class T>
  static GatePoint<T> at(T x) {
    constexpr T root_half = std::numbers::sqrt2_v<T> / 2, density = std::numbers::inv_sqrtpi_v<T> * root_half;
    const T cumulative = (1 + kernels::erf(x * root_half)) / 2;
    return {x * cumulative, cumulative + x * density * kernels::exp(-x * x / 2)};
  }
};

/// y = gate(a) b for the halves (a, b) of each row of x: da = dy b gate'(a), db = dy gate(a).
template <class Gate, class T>
Variable<T> gated(const char* op, const Variable<T>& x, Use use) {
  Context<T>& c = context_of(op, {x});
  check(x.shape().rank() >= 1 && x.shape().cols() % 2 == 0, op, "expected x [..., 2 H]; got {}", x.shape());
  const Tensor<const T> in = c.read(x);
  const Index half = in.cols() / 2;

  return record_rows<T>(
      op, {x}, in.shape.with(-1, half), use,
      [&](Index i, T* y) {
        const T *const a = in.row(i), *const b = a + half;
        kernels::assign_row(half, y, [=](Index j) { return Gate::at(a[j]).value * b[j]; });
      },
      [in, half](Backward<T>& back) {
        const Sink<T> to = back.sink(0);
        kernels::for_each_row(in, [&](Index i) {
          const T *const a = in.row(i), *const b = a + half, *const dy = back.dy().row(i);
          T *const da = to.grad.row(i), *const db = da + half;
          kernels::write_row(half, da, to.add, [=](Index j) { return dy[j] * b[j] * Gate::at(a[j]).slope; });
          kernels::write_row(half, db, to.add, [=](Index j) { return dy[j] * Gate::at(a[j]).value; });
        });
      });
}

}  // namespace

template <class T>
Variable<T> swiglu(const Variable<T>& x, Use use) {
  return gated<SiluGate>("swiglu", x, use);
}

template <class T>
Variable<T> geglu(const Variable<T>& x, Use use) {
  return gated<GeluGate>("geglu", x, use);
}

#define GLOSSA_INSTANTIATE(T)                           \
  template Variable<T> swiglu(const Variable<T>&, Use); \
  template Variable<T> geglu(const Variable<T>&, Use);
GLOSSA_INSTANTIATE(float)
GLOSSA_INSTANTIATE(double)
#undef GLOSSA_INSTANTIATE

}  // namespace glossa
