#pragma once

#include <algorithm>
#include <array>

#include "autograd/shape.h"

namespace glossa::kernels {

/// Sum of f(0), ..., f(n-1) by one thread in an order fixed by n: 32 lanes side by side (so that it vectorises), then a
/// tree over the lanes.
template <class T, class F>
T row_sum(Index n, const F& f) {
  constexpr Index lanes = 32;
  std::array<T, lanes> lane{};
  Index i = 0;
  for (; i + lanes <= n; i += lanes)
    for (Index l = 0; l < lanes; ++l) lane[l] += f(i + l);
  for (Index l = 0; l < n - i; ++l) lane[l] += f(i + l);
  for (Index half = lanes / 2; half > 0; half /= 2)
    for (Index l = 0; l < half; ++l) lane[l] += lane[l + half];
  return lane[0];
}

/// Largest of f(0), ..., f(n-1), at least `floor`; NaN is passed over.
template <class T, class F>
T row_max(Index n, T floor, const F& f) {
  constexpr Index lanes = 32;
  std::array<T, lanes> lane;
  lane.fill(floor);
  Index i = 0;
  for (; i + lanes <= n; i += lanes)
    for (Index l = 0; l < lanes; ++l) lane[l] = std::max(lane[l], f(i + l));
  for (Index l = 0; l < n - i; ++l) lane[l] = std::max(lane[l], f(i + l));
  return *std::max_element(lane.begin(), lane.end());
}

}  // namespace glossa::kernels
