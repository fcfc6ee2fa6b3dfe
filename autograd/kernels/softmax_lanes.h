#pragma once

#include <limits>

#include "autograd/kernels/lanes.h"
#include "autograd/kernels/vector_math.h"

namespace glossa::kernels {

/// The score of a blocked key.
template <class T>
inline constexpr T blocked = -std::numeric_limits<T>::infinity();

/// Softmax of one vector of queries, in place. Each lane of the scores [keys, L] is one query, normalized over its
/// keys; rows are `stride` elements apart. A fully blocked lane becomes zeros; NaN propagates.
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

/// One step of a softmax that receives its keys tile by tile (Milakov and Gimelshein 2018). In each lane, replaces
/// score_j by exp(score_j - top). `top` becomes the largest score so far, and `total` the sum of all exp(score - top),
/// both including this tile. Multiply earlier results by `correction`, because they used the earlier top. Start with
/// top = blocked and total = 0.
template <class T>
void softmax_lanes_step(Index keys, T* score, Index stride, T* top, T* total, T* correction) {
  constexpr Index L = Lanes<T>::count;
  using Vector = typename Lanes<T>::Vector;
  Vector high = load(top);
  for (Index j = 0; j < keys; ++j) {
    const Vector s = load(score + j * stride);
    high = s > high ? s : high;
  }
  alignas(64) T shift[L];
  store(shift, high == blocked<T> ? Vector{} : high);
#pragma omp simd
  for (Index l = 0; l < L; ++l) correction[l] = kernels::exp(top[l] - shift[l]);
  Vector sum = load(total) * load(correction);
  for (Index j = 0; j < keys; ++j) {
    T* const row = score + j * stride;
#pragma omp simd
    for (Index l = 0; l < L; ++l) row[l] = kernels::exp(row[l] - shift[l]);
    sum += load(row);
  }
  store(top, high);
  store(total, sum);
}

/// Derivative of attention's softmax and dropout. `weight` is P and `dropped` m P, with the dropout factor m (0 or
/// keep_scale), and dP = m (dy v^T). In each lane, replaces dy v^T in `d` by dS = scale P (dP - sum(dP P)). If P is 0,
/// so is dS, even if a blocked key's value is NaN.
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
