#include "optim/moving_average.h"

#include <algorithm>

#include "autograd/check.h"
#include "autograd/kernels/elementwise.h"
#include "autograd/parallel.h"

namespace glossa {

template <class T>
MovingAverage<T>::MovingAverage(std::span<T> values, double decay) : values_(values), decay_(decay) {
  if (!(decay >= 0 && decay < 1)) misuse("MovingAverage::decay", "expected a number in [0, 1); got {}", decay);
  average_ = {memory_.allocate_array<T>(std::ssize(values)), values.size()};
  std::ranges::copy(values, average_.begin());
}

template <class T>
void MovingAverage<T>::update(std::int64_t t) {
  const auto n = static_cast<double>(t);
  const auto take = static_cast<T>(1 - std::min(decay_, (1 + n) / (10 + n)));
  const T* const value = values_.data();
  T* const average = average_.data();
  parallel_ranges(std::ssize(average_), kernels::elementwise_grain, [=](Index begin, Index end) {
#pragma omp simd
    for (Index i = begin; i < end; ++i) average[i] += take * (value[i] - average[i]);
  });
}

template <class T>
void MovingAverage<T>::exchange() {
  std::ranges::swap_ranges(values_, average_);
}

template class MovingAverage<float>;
template class MovingAverage<double>;

}  // namespace glossa
