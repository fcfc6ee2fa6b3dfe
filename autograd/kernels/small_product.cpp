#include "autograd/kernels/small_product.h"

// Compiled with -ffp-contract=fast, because fused multiply-add speeds up products. So the file contains only products.
namespace glossa::kernels {

namespace {

/// Number of result vectors that fit in registers together with their operands.
#if defined __AVX512F__ || defined __aarch64__
constexpr int sums = 16;
#else
constexpr int sums = 8;
#endif

/// R rows by C vectors of the result, kept in registers over all of k.
template <class T, int R, int C>
void small_block(Index k, const T* a, Index a_row, Index a_col, const T* b, Index ldb, T* c, Index ldc, bool add) {
  using L = Lanes<T>;
  typename L::Vector sum[R][C];  // no "= {}": compilers would then zero it in memory
#pragma GCC unroll 16
  for (int i = 0; i < R; ++i)
#pragma GCC unroll 4
    for (int j = 0; j < C; ++j) sum[i][j] = add ? load(c + i * ldc + j * L::count) : typename L::Vector{};
  for (Index p = 0; p < k; ++p) {
    typename L::Vector column[C];
    for (int j = 0; j < C; ++j) column[j] = load(b + p * ldb + j * L::count);
    for (int i = 0; i < R; ++i)
      for (int j = 0; j < C; ++j) sum[i][j] += a[i * a_row + p * a_col] * column[j];
  }
  for (int i = 0; i < R; ++i)
    for (int j = 0; j < C; ++j) store(c + i * ldc + j * L::count, sum[i][j]);
}

/// R rows of the result; computes as many columns at a time as registers allow.
template <class T, int R>
void small_rows(Index n, Index k, const T* a, Index a_row, Index a_col, const T* b, Index ldb, T* c, Index ldc,
                bool add) {
  constexpr Index L = Lanes<T>::count;
  Index j = 0;
  if constexpr (4 * R <= sums)
    for (; j + 4 * L <= n; j += 4 * L) small_block<T, R, 4>(k, a, a_row, a_col, b + j, ldb, c + j, ldc, add);
  if constexpr (2 * R <= sums)
    for (; j + 2 * L <= n; j += 2 * L) small_block<T, R, 2>(k, a, a_row, a_col, b + j, ldb, c + j, ldc, add);
  for (; j < n; j += L) small_block<T, R, 1>(k, a, a_row, a_col, b + j, ldb, c + j, ldc, add);
}

/// Calls work(first, end, step) for runs of heads whose keys are `step` columns apart. If `group` is 1, a single run
/// has all heads. Otherwise each group is a run with step 0, because its heads share a key.
template <class Work>
void for_runs(Index heads, Index group, Index width, const Work& work) {
  if (group == 1) return work(0, heads, width);
  for (Index first = 0; first < heads; first += group) work(first, first + group, 0);
}

}  // namespace

template <class T>
void small_product(const ProductSize& size, const Strided<T>& a, const Panel<T>& b, const Columns<T>& c) {
  const auto [m, n, k] = size;
  Index i = 0;
  for (; i + 8 <= m; i += 8)
    small_rows<T, 8>(n, k, a.data + i * a.row, a.row, a.col, b.data, b.stride, c.data + i * c.stride, c.stride, c.add);
  for (; i + 4 <= m; i += 4)
    small_rows<T, 4>(n, k, a.data + i * a.row, a.row, a.col, b.data, b.stride, c.data + i * c.stride, c.stride, c.add);
  for (; i + 2 <= m; i += 2)
    small_rows<T, 2>(n, k, a.data + i * a.row, a.row, a.col, b.data, b.stride, c.data + i * c.stride, c.stride, c.add);
  for (; i < m; ++i)
    small_rows<T, 1>(n, k, a.data + i * a.row, a.row, a.col, b.data, b.stride, c.data + i * c.stride, c.stride, c.add);
}

template <class T>
void head_dots(Index heads, Index group, Index width, const T* q, const T* k, T* score) {
  using L = Lanes<T>;
  for_runs(heads, group, width, [&](Index first, Index end, Index step) {
    for (Index h = first; h < end; ++h, q += width, k += step) {
      typename L::Vector sum{};
      Index i = 0;
      for (; i + L::count <= width; i += L::count) sum += load(q + i) * load(k + i);
      T total = join_lanes<T>(sum, [](auto u, auto v) { return u + v; });
      for (; i < width; ++i) total += q[i] * k[i];
      score[h] = total;
    }
    k += width - step;
  });
}

template <class T>
void add_weighted_heads(Index heads, Index group, Index width, const T* weight, const T* v, T* out) {
  for_runs(heads, group, width, [&](Index first, Index end, Index step) {
    for (Index h = first; h < end; ++h, v += step, out += width)
      if (const T w = weight[h]; w != T{0})
#pragma omp simd
        for (Index i = 0; i < width; ++i) out[i] += w * v[i];
    v += width - step;
  });
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
  template void head_dots(Index, Index, Index, const T*, const T*, T*);                                   \
  template void add_weighted_heads(Index, Index, Index, const T*, const T*, T*);                          \
  template void small_product(const ProductSize&, const Strided<T>&, const Panel<T>&, const Columns<T>&); \
  template void small_product_skipping_zeros(const ProductSize&, const Strided<T>&, const Panel<T>&, const Columns<T>&);
GLOSSA_INSTANTIATE(float)
GLOSSA_INSTANTIATE(double)
#undef GLOSSA_INSTANTIATE

}  // namespace glossa::kernels
