#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

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

/// {f(0), f(1), ...} to shuffle by, made by the compiler: made at run time it costs more than what it is for.
template <class T, class F>
constexpr typename Lanes<T>::Order order(const F& f) {
  return [&]<int... l>(std::integer_sequence<int, l...>) { return typename Lanes<T>::Order{f(l)...}; }
  (std::make_integer_sequence<int, Lanes<T>::count>());
}

/// All lanes joined by `combine`, in a tree: halves, quarters, ...
template <class T, int half = Lanes<T>::count / 2, class Combine>
T join_lanes(typename Lanes<T>::Vector v, const Combine& combine) {
  if constexpr (half == 0) {
    return v[0];
  } else {
    constexpr auto other = order<T>([](int l) { return l ^ half; });
    return join_lanes<T, half / 2>(combine(v, __builtin_shuffle(v, other)), combine);
  }
}

/// Transposes a square of vectors in registers: row and lane numbers swap one bit at a time.
template <class T, int bit = 1>
void transpose_square(typename Lanes<T>::Vector (&row)[Lanes<T>::count]) {
  constexpr int count = Lanes<T>::count;
  if constexpr (bit < count) {
    constexpr auto low = order<T>([](int l) { return l & bit ? count + (l ^ bit) : l; });
    constexpr auto high = order<T>([](int l) { return l & bit ? count + l : l ^ bit; });
#pragma GCC unroll 16
    for (int i = 0; i < count; ++i)
      if (!(i & bit)) {
        const auto a = row[i], b = row[i + bit];
        row[i] = __builtin_shuffle(a, b, low);
        row[i + bit] = __builtin_shuffle(a, b, high);
      }
    transpose_square<T, bit * 2>(row);
  }
}

}  // namespace glossa::kernels
