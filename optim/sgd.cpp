#include "optim/sgd.h"

#include "base/check.h"
#include "base/parallel.h"

namespace glossa {

template <class T>
Sgd<T>::Sgd(const ParameterStore<T>& store, std::span<const Segment> segments, SgdOptions options, OptimizerShare share)
    : Optimizer<T>(store, segments, {"momentum"}, share), options_(options) {
  if (!(options.momentum >= 0 && options.momentum < 1))
    misuse("SgdOptions::momentum", "expected a number in [0, 1); got {}", options.momentum);
  if (options.nesterov && options.momentum == 0)
    misuse("SgdOptions::nesterov", "expected a momentum above 0; got 0. Hint: set momentum, or leave nesterov out");
  for (const Segment& segment : segments)
    if (segment.betas) misuse("Segment::betas", "expected no betas for SGD; got some. Hint: only Adam has betas");
}

template <class T>
void Sgd<T>::step(double lr, double gradient_scale) {
  this->begin_step(lr, gradient_scale);
  T* const value = this->values();
  const T* const grad = this->grads();
  T* const momentum = this->state(0);
  const Index first = this->begin();
  const auto scale = static_cast<T>(gradient_scale), mu = static_cast<T>(options_.momentum);
  const bool nesterov = options_.nesterov;

  parallel_for(static_cast<Index>(this->pieces().size()), [=, this](Index piece) {
    const Segment segment = this->pieces()[piece];
    const auto rate = static_cast<T>(lr * segment.lr_factor), decay = static_cast<T>(segment.weight_decay);
#pragma omp simd
    for (Index i = segment.begin; i < segment.end; ++i) {
      const T g = scale * grad[i] + decay * value[i];
      const Index k = i - first;
      momentum[k] = mu * momentum[k] + g;
      value[i] -= rate * (nesterov ? g + mu * momentum[k] : momentum[k]);
    }
  });
}

template class Sgd<float>;
template class Sgd<double>;

}  // namespace glossa
