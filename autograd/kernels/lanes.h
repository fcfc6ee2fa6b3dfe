#pragma once

#include <cstring>
#include <utility>

#include "base/index.h"

namespace glossa::kernels {

/// Bytes in a vector register of the target machine. The compiler would keep longer vectors in memory.
#if defined __AVX512F__
inline constexpr int vector_bytes = 64;
#elif defined __AVX__
inline constexpr int vector_bytes = 32;
#else
inline constexpr int vector_bytes = 16;
#endif

/// One vector register of numbers of type T, and the number of its elements (lanes).
template <class T>
struct Lanes {
  using Vector [[gnu::vector_size(vector_bytes)]] = T;
  static constexpr Index count = vector_bytes / sizeof(T);
};

/// n rounded up to a multiple of Lanes<T>::count.
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

/// Returns a vector whose lane l is lane from(l) of the concatenation of a and b. The function `from` is stateless, so
/// the order of lanes is known at compile time.
template <class T, class From>
typename Lanes<T>::Vector shuffled(typename Lanes<T>::Vector a, typename Lanes<T>::Vector b, From) {
  return [&]<int... l>(std::integer_sequence<int, l...>) { return __builtin_shufflevector(a, b, From{}(l)...); }
  (std::make_integer_sequence<int, Lanes<T>::count>());
}

/// Reduces all lanes to one number with `combine`, in a tree: combines halves of the vector, then quarters, and so on.
template <class T, int half = Lanes<T>::count / 2, class Combine>
T join_lanes(typename Lanes<T>::Vector v, const Combine& combine) {
  if constexpr (half == 0) {
    return v[0];
  } else {
    const auto other = shuffled<T>(v, v, [](int l) { return l ^ half; });
    return join_lanes<T, half / 2>(combine(v, other), combine);
  }
}

/// Transposes a square of vectors in registers: swaps row and lane numbers bit by bit.
template <class T, int bit = 1>
void transpose_square(typename Lanes<T>::Vector (&row)[Lanes<T>::count]) {
  constexpr int count = Lanes<T>::count;
  if constexpr (bit < count) {
#pragma GCC unroll 16
    for (int i = 0; i < count; ++i)
      if (!(i & bit)) {
        const auto a = row[i], b = row[i + bit];
        row[i] = shuffled<T>(a, b, [](int l) { return l & bit ? count + (l ^ bit) : l; });
        row[i + bit] = shuffled<T>(a, b, [](int l) { return l & bit ? count + l : l ^ bit; });
      }
    transpose_square<T, bit * 2>(row);
  }
}

}  // namespace glossa::kernels
