#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "autograd/shape.h"

namespace glossa::kernels {

/// Bytes in a register of this machine. A longer vector would be computed in memory.
#if defined __AVX512F__
inline constexpr int vector_bytes = 64;
#elif defined __AVX__
inline constexpr int vector_bytes = 32;
#else
inline constexpr int vector_bytes = 16;
#endif

/// The numbers in one register.
template <class T>
struct Lanes {
  using Vector [[gnu::vector_size(vector_bytes)]] = T;
  using Order [[gnu::vector_size(vector_bytes)]] =
      std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>;  // to shuffle by
  static constexpr Index count = vector_bytes / sizeof(T);
};

/// n rounded up to whole vectors.
template <class T>
constexpr Index padded(Index n) {
  return (n + Lanes<T>::count - 1) / Lanes<T>::count * Lanes<T>::count;
}

template <class T>
typename Lanes<T>::Vector load(const T* from) {
  typename Lanes<T>::Vector v;
  std::memcpy(&v, from, sizeof v);
  return v;
}

template <class T>
void store(T* to, typename Lanes<T>::Vector v) {
  std::memcpy(to, &v, sizeof v);
}

/// All lanes joined by `combine`, in a tree: halves, quarters, ...
template <class T, class Combine>
T join_lanes(typename Lanes<T>::Vector v, const Combine& combine) {
  constexpr int count = Lanes<T>::count;
#pragma GCC unroll 4
  for (int half = count / 2; half > 0; half /= 2) {
    typename Lanes<T>::Order other;
    for (int l = 0; l < count; ++l) other[l] = l ^ half;
    v = combine(v, __builtin_shuffle(v, other));
  }
  return v[0];
}

/// Transposes a square of vectors in registers: row and lane numbers swap one bit at a time.
template <class T>
void transpose_square(typename Lanes<T>::Vector (&row)[Lanes<T>::count]) {
  constexpr int count = Lanes<T>::count;
#pragma GCC unroll 4
  for (int bit = 1; bit < count; bit *= 2) {
    typename Lanes<T>::Order low, high;
    for (int l = 0; l < count; ++l) {
      low[l] = l & bit ? count + (l ^ bit) : l;
      high[l] = l & bit ? count + l : l ^ bit;
    }
#pragma GCC unroll 16
    for (int i = 0; i < count; ++i)
      if (!(i & bit)) {
        const auto a = row[i], b = row[i + bit];
        row[i] = __builtin_shuffle(a, b, low);
        row[i + bit] = __builtin_shuffle(a, b, high);
      }
  }
}

}  // namespace glossa::kernels
