#include "optim/moving_average.h"

#include <algorithm>

#include "autograd/kernels/elementwise.h"
#include "base/check.h"
#include "base/parallel.h"

namespace glossa {

template <class T>
MovingAverage<T>::MovingAverage(const ParameterStore<T>& store, double decay) : store_(store), decay_(decay) {
  check(store.laid_out(), "MovingAverage", "expected allocated parameters; got none. Hint: call allocate() first");
  if (!(decay >= 0 && decay < 1)) misuse("MovingAverage::decay", "expected a number in [0, 1); got {}", decay);
  average_ = memory_.array<T>(std::ssize(store.values()));
  std::ranges::copy(store.values(), average_.begin());
}

template <class T>
void MovingAverage<T>::update(std::int64_t t) {
  const auto n = static_cast<double>(t);
  const auto take = static_cast<T>(1 - std::min(decay_, (1 + n) / (10 + n)));
  const T* const value = store_.values().data();
  T* const average = average_.data();
  parallel_ranges(std::ssize(average_), kernels::elementwise_grain, [=](Index begin, Index end) {
#pragma omp simd
    for (Index i = begin; i < end; ++i) average[i] += take * (value[i] - average[i]);
  });
}

template <class T>
void MovingAverage<T>::exchange() {
  std::ranges::swap_ranges(store_.values(), average_);
  store_.mark_changed();
}

template class MovingAverage<float>;
template class MovingAverage<double>;

}  // namespace glossa
