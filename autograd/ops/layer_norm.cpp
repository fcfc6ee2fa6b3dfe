#include "autograd/ops/rounded_rows.h"
#include "autograd/ops/row_norm.h"

/// For each row x [D], with r = 1 / sqrt(variance + epsilon), n = (x - mean) r and g = dy gain:
///     y = n gain + bias,    dx = r (g - mean(g) - n mean(g n)),    dgain = sum(dy n),    dbias = sum(dy).
/// The last two sums are over all rows. RMS norm replaces the means of x and g by 0.
namespace glossa {

namespace {

using kernels::About;

template <class T>
Variable<T> norm_op(const char* op, About about, const Variable<T>& x, const OptionalVariable<T>& gain,
                    const OptionalVariable<T>& bias, double epsilon, Use use) {
  Context<T>& c = context_of<T>(op, {x, gain, bias});
  const RowNorm<T> norm = make_norm<T>(op, c, about, x.shape(), gain, bias, epsilon);
  const Tensor<const T> in = c.read(x);

  return record_rows<T>(
      op, {x, gain, bias}, x.shape(), use, [&](Index i, T* y) { norm.normalize(i, in.row(i), y); },
      [norm, in](Backward<T>& back) {
        const Sink<T> to_x = back.optional_sink(0);
        norm_backward(
            back, norm, 1, [&](Index i) { return norm.moments[i].normalized(in.row(i)); },
            [&](Index i, const T* dx) { to_x.write_row(i, [dx](Index j) { return dx[j]; }); });
      });
}

}  // namespace

template <class T>
Variable<T> layer_norm(const Variable<T>& x, const Variable<T>& gain, const Variable<T>& bias, double epsilon,
                       Use use) {
  return norm_op("layer_norm", About::mean, x, gain, bias, epsilon, use);
}

template <class T>
Variable<T> layer_norm(const Variable<T>& x, double epsilon) {
  return norm_op<T>("layer_norm", About::mean, x, {}, {}, epsilon, Use::any);
}

template <class T>
Variable<T> rms_norm(const Variable<T>& x, const Variable<T>& gain, double epsilon, Use use) {
  return norm_op<T>("rms_norm", About::zero, x, gain, {}, epsilon, use);
}

template <class T>
Variable<T> rms_norm(const Variable<T>& x, double epsilon) {
  return norm_op<T>("rms_norm", About::zero, x, {}, {}, epsilon, Use::any);
}

#define GLOSSA_INSTANTIATE(T)                                                                               \
  template Variable<T> layer_norm(const Variable<T>&, const Variable<T>&, const Variable<T>&, double, Use); \
  template Variable<T> layer_norm(const Variable<T>&, double);                                              \
  template Variable<T> rms_norm(const Variable<T>&, const Variable<T>&, double, Use);                       \
  template Variable<T> rms_norm(const Variable<T>&, double);
GLOSSA_INSTANTIATE(float)
GLOSSA_INSTANTIATE(double)
#undef GLOSSA_INSTANTIATE

}  // namespace glossa
