#include "optim/adam.h"

#include <cmath>
#include <utility>

#include "base/check.h"
#include "base/parallel.h"

namespace glossa {

namespace {

void check_betas(const char* where1, const char* where2, const AdamBetas& betas) {
  for (const auto& [where, beta] : {std::pair(where1, betas.beta1), std::pair(where2, betas.beta2)})
    if (!(beta >= 0 && beta < 1)) misuse(where, "expected a number in [0, 1); got {}", beta);
}

/// Factors of step t, computed once in double.
template <class T>
struct AdamFactors {
  T keep_m, take_m, keep_v, take_v;
  double first_correction;
  T root_factor;

  AdamFactors(const AdamBetas& betas, double t)
      : keep_m(static_cast<T>(betas.beta1)),
        take_m(static_cast<T>(1 - betas.beta1)),
        keep_v(static_cast<T>(betas.beta2)),
        take_v(static_cast<T>(1 - betas.beta2)),
        first_correction(1 - std::pow(betas.beta1, t)),
        root_factor(static_cast<T>(1 / std::sqrt(1 - std::pow(betas.beta2, t)))) {}
};

}  // namespace

template <class T>
Adam<T>::Adam(const ParameterStore<T>& store, std::span<const Segment> segments, AdamOptions options,
              OptimizerShare share)
    : Optimizer<T>(store, segments, {"m", "v"}, share), options_(options) {
  check_betas("AdamOptions::beta1", "AdamOptions::beta2", {options.beta1, options.beta2});
  for (const Segment& segment : segments)
    if (segment.betas) check_betas("AdamBetas::beta1", "AdamBetas::beta2", *segment.betas);
  // With epsilon 0, an element that never had a gradient, for example in a gap, would become 0/0.
  if (!(static_cast<T>(options.epsilon) > 0 && std::isfinite(static_cast<T>(options.epsilon))))
    misuse("AdamOptions::epsilon", "expected a finite number above 0; got {}", options.epsilon);
}

template <class T>
void Adam<T>::step(double lr, double gradient_scale) {
  this->begin_step(lr, gradient_scale);
  const auto t = static_cast<double>(this->steps_);
  const auto scale = static_cast<T>(gradient_scale), epsilon = static_cast<T>(options_.epsilon);
  const AdamFactors<T> usual({options_.beta1, options_.beta2}, t);
  T* const value = this->values();
  const T* const grad = this->grads();
  T* const m = this->state(0);
  T* const v = this->state(1);
  const Index first = this->begin();

  parallel_for(static_cast<Index>(this->pieces().size()), [=, this](Index piece) {
    const Segment segment = this->pieces()[piece];
    const AdamFactors<T> factor = segment.betas ? AdamFactors<T>(*segment.betas, t) : usual;
    const double own_lr = lr * segment.lr_factor;
    const auto rate = static_cast<T>(own_lr / factor.first_correction);
    const auto penalty = static_cast<T>(options_.decoupled ? 0 : segment.weight_decay);
    const auto decay = static_cast<T>(options_.decoupled ? own_lr * segment.weight_decay : 0);
#pragma omp simd
    for (Index i = segment.begin; i < segment.end; ++i) {
      const T g = scale * grad[i] + penalty * value[i];
      const Index k = i - first;
      m[k] = factor.keep_m * m[k] + factor.take_m * g;
      v[k] = factor.keep_v * v[k] + factor.take_v * (g * g);
      value[i] -= rate * m[k] / (std::sqrt(v[k]) * factor.root_factor + epsilon) + decay * value[i];
    }
  });
}

template class Adam<float>;
template class Adam<double>;

}  // namespace glossa
