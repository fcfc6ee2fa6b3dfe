#pragma once

#include <limits>

#include "autograd/kernels/lanes.h"
#include "autograd/kernels/vector_math.h"

namespace glossa::kernels {

/// The score of what may not be attended to.
template <class T>
inline constexpr T blocked = -std::numeric_limits<T>::infinity();

/// Softmax of one vector of queries: down every lane of scores [keys, L], in place. A lane where all is blocked becomes
/// zeros; NaN shows.
template <class T>
void softmax_lanes(Index keys, T* score, Index stride) {
  using Vector = typename Lanes<T>::Vector;
  Vector top = Vector{} + blocked<T>;
  for (Index j = 0; j < keys; ++j) {
    const Vector s = load(score + j * stride);
    top = s > top ? s : top;
  }
  alignas(64) T shift[Lanes<T>::count];
  store(shift, top == blocked<T> ? Vector{} : top);
  Vector total{};
  for (Index j = 0; j < keys; ++j) {
    T* const row = score + j * stride;
#pragma omp simd
    for (Index l = 0; l < Lanes<T>::count; ++l) row[l] = kernels::exp(row[l] - shift[l]);
    total += load(row);
  }
  const Vector inverse = total == T{0} ? total : T{1} / total;
  for (Index j = 0; j < keys; ++j) store(score + j * stride, load(score + j * stride) * inverse);
}

/// With m = keep / (1 - p): dropped = m weight, dweight = m (dout v^T), and, down every lane,
/// dscore = scale weight (dweight - sum of weight dweight), in place of dout v^T; 0 where the weight is: what is
/// blocked stays unread.
template <class T>
void softmax_lanes_backward(Index keys, const T* weight, const T* dropped, T scale, T keep_scale, T* d, Index stride) {
  using Vector = typename Lanes<T>::Vector;
  Vector sum{};
  for (Index j = 0; j < keys; ++j) {
    const Vector m_weight = load(dropped + j * stride);
    sum += m_weight == T{0} ? Vector{} : m_weight * load(d + j * stride);
  }
  for (Index j = 0; j < keys; ++j) {
    const Vector w = load(weight + j * stride), m_weight = load(dropped + j * stride), dy = load(d + j * stride);
    const Vector d_weight = m_weight == T{0} ? Vector{} : dy * keep_scale;
    store(d + j * stride, w == T{0} ? Vector{} : (d_weight - sum) * w * scale);
  }
}

}  // namespace glossa::kernels
