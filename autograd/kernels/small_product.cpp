#include "autograd/kernels/small_product.h"

// Compiled with -ffp-contract=fast: a product is worth its fused multiply-add, and nothing else is in this file.
namespace glossa::kernels {

namespace {

/// How many vectors of the result fit in registers beside what they are computed from.
#if defined __AVX512F__ || defined __aarch64__
constexpr int sums = 16;
#else
constexpr int sums = 8;
#endif

/// R rows by C vectors of the result, kept in registers over the whole of k. Out of line, because inlined copies run
/// out of registers.
template <class T, int R, int C>
[[gnu::noinline]] void small_block(Index k, Strided<T> a, Panel<T> b, Columns<T> c) {
  using L = Lanes<T>;
  typename L::Vector sum[R][C];  // without "= {}", which compilers take for memory to clear
#pragma GCC unroll 16
  for (int i = 0; i < R; ++i)
#pragma GCC unroll 4
    for (int j = 0; j < C; ++j) sum[i][j] = c.add ? load(c.data + i * c.stride + j * L::count) : typename L::Vector{};
  for (Index p = 0; p < k; ++p) {
    typename L::Vector column[C];
    for (int j = 0; j < C; ++j) column[j] = load(b.data + p * b.stride + j * L::count);
    for (int i = 0; i < R; ++i)
      for (int j = 0; j < C; ++j) sum[i][j] += a.data[i * a.row + p * a.col] * column[j];
  }
  for (int i = 0; i < R; ++i)
    for (int j = 0; j < C; ++j) store(c.data + i * c.stride + j * L::count, sum[i][j]);
}

/// R rows of the result, with as many columns at a time as there are registers for.
template <class T, int R>
void small_rows(Index n, Index k, const Strided<T>& a, const Panel<T>& b, const Columns<T>& c) {
  constexpr Index L = Lanes<T>::count;
  const auto block = [&]<int C>(Index j) {
    small_block<T, R, C>(k, a, {b.data + j, b.stride}, {c.data + j, c.stride, c.add});
  };
  Index j = 0;
  if constexpr (4 * R <= sums)
    for (; j + 4 * L <= n; j += 4 * L) block.template operator()<4>(j);
  if constexpr (2 * R <= sums)
    for (; j + 2 * L <= n; j += 2 * L) block.template operator()<2>(j);
  for (; j < n; j += L) block.template operator()<1>(j);
}

}  // namespace

template <class T>
void small_product(const ProductSize& size, const Strided<T>& a, const Panel<T>& b, const Columns<T>& c) {
  Index i = 0;
  const auto rows = [&]<int R>() {
    for (; i + R <= size.m; i += R)
      small_rows<T, R>(size.n, size.k, {a.data + i * a.row, a.row, a.col}, b, c.from_row(i));
  };
  rows.template operator()<8>();
  rows.template operator()<4>();
  rows.template operator()<2>();
  rows.template operator()<1>();
}

template <class T>
void head_dots(Index heads, Index width, const T* q, const T* k, T* score) {
  using L = Lanes<T>;
  for (Index h = 0; h < heads; ++h, q += width, k += width) {
    typename L::Vector sum{};
    Index i = 0;
    for (; i + L::count <= width; i += L::count) sum += load(q + i) * load(k + i);
    T total = join_lanes<T>(sum, [](auto u, auto v) { return u + v; });
    for (; i < width; ++i) total += q[i] * k[i];
    score[h] = total;
  }
}

template <class T>
void add_weighted_heads(Index heads, Index width, const T* weight, const T* v, T* out) {
  for (Index h = 0; h < heads; ++h)
    if (const T w = weight[h]; w != T{0})
#pragma omp simd
      for (Index i = h * width; i < (h + 1) * width; ++i) out[i] += w * v[i];
}

template <class T>
void small_product_skipping_zeros(const ProductSize& size, const Strided<T>& a, const Panel<T>& b,
                                  const Columns<T>& c) {
  for (Index i = 0; i < size.m; ++i) {
    T* const to = c.data + i * c.stride;
    for (Index j = 0; j < size.n && !c.add; ++j) to[j] = T{0};
    for (Index p = 0; p < size.k; ++p)
      if (const T factor = a.data[i * a.row + p * a.col]; factor != T{0})
        for (Index j = 0; j < size.n; ++j) to[j] += factor * b.data[p * b.stride + j];
  }
}

#define GLOSSA_INSTANTIATE(T)                                                                             \
  template void head_dots(Index, Index, const T*, const T*, T*);                                          \
  template void add_weighted_heads(Index, Index, const T*, const T*, T*);                                 \
  template void small_product(const ProductSize&, const Strided<T>&, const Panel<T>&, const Columns<T>&); \
  template void small_product_skipping_zeros(const ProductSize&, const Strided<T>&, const Panel<T>&, const Columns<T>&);
GLOSSA_INSTANTIATE(float)
GLOSSA_INSTANTIATE(double)

}  // namespace glossa::kernels
