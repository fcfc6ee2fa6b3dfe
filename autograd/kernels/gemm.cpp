#include "autograd/kernels/gemm.h"

#include <algorithm>

#include "autograd/check.h"
#include "autograd/kernels/product_log.h"
#include "autograd/parallel.h"

namespace glossa::kernels {

namespace {

#ifdef GLOSSA_HAS_ONEDNN
constexpr bool onednn_built = true;
#else
constexpr bool onednn_built = false;
#endif

GemmBackend& backend() {
  static GemmBackend chosen = onednn_built ? GemmBackend::onednn : GemmBackend::eigen;
  return chosen;
}

/// Tiles large enough for the library to run near its peak, but enough of them for eight threads where C allows.
struct Tiling {
  Index rows = 128, cols = 512;

  Tiling(Index m, Index n) {
    rows = std::min(rows, m);
    cols = std::min(cols, n);
    while (count(m, n) < 8 && (rows > 64 || cols > 128)) (rows > 64 && 4 * rows >= cols ? rows : cols) /= 2;
    // Whole cache lines in a tile, so that neighbours never share one.
    cols = std::min(n, (cols + 15) / 16 * 16);
  }

  Index count(Index m, Index n) const { return ((m + rows - 1) / rows) * ((n + cols - 1) / cols); }
};

void tile(Index m, Index n, Index k, const Factor<double>& a, const Factor<double>& b, double beta, double* c,
          Index stride) {
  eigen_tile(m, n, k, a, b, beta, c, stride);
}

void tile(Index m, Index n, Index k, const Factor<float>& a, const Factor<float>& b, float beta, float* c,
          Index stride) {
#ifdef GLOSSA_HAS_ONEDNN
  if (backend() == GemmBackend::onednn) return onednn_tile(m, n, k, a, b, beta, c, stride);
#endif
  eigen_tile(m, n, k, a, b, beta, c, stride);
}

template <class T>
Factor<T> from(const Factor<T>& factor, Index row, Index col) {
  return {factor.data + (factor.transposed ? col * factor.stride + row : row * factor.stride + col), factor.stride,
          factor.transposed};
}

}  // namespace

template <class T>
void gemm(Index m, Index n, Index k, const Factor<T>& a, const Factor<T>& b, T beta, T* c, Index stride,
          const TileFinish& finish) {
  if (m == 0 || n == 0) return;
  note_product({m, n, k, a.transposed, b.transposed});
  const Tiling tiling(m, n);
  const Index across = (n + tiling.cols - 1) / tiling.cols;
  parallel_for(tiling.count(m, n), [&](Index piece) {
    const Index i = piece / across * tiling.rows, j = piece % across * tiling.cols;
    const Index rows = std::min(tiling.rows, m - i), cols = std::min(tiling.cols, n - j);
    T* const to = c + i * stride + j;
    if (k > 0)
      tile(rows, cols, k, from(a, i, 0), from(b, 0, j), beta, to, stride);
    else if (beta == T{0})
      for (Index row = 0; row < rows; ++row) std::fill_n(to + row * stride, cols, T{0});
    if (finish.run) finish.run(finish.closure, {i, i + rows, j, j + cols});
  });
}

template <class T>
void gemm(Index m, Index n, Index k, const Factor<T>& a, const Factor<T>& b, T beta, T* c, Index stride) {
  gemm<T>(m, n, k, a, b, beta, c, stride, TileFinish{});
}

GemmBackend gemm_backend() { return backend(); }

bool has_gemm_backend(GemmBackend wanted) { return wanted == GemmBackend::eigen || onednn_built; }

void set_gemm_backend(GemmBackend wanted) {
  check(has_gemm_backend(wanted), "runtime.gemm", "expected a backend of this build; got {}. Hint: install libdnnl-dev",
        name(wanted));
  backend() = wanted;
}

std::string name(GemmBackend which) { return which == GemmBackend::onednn ? "onednn" : "eigen"; }

#define GLOSSA_INSTANTIATE(T)                                                                \
  template void gemm(Index, Index, Index, const Factor<T>&, const Factor<T>&, T, T*, Index); \
  template void gemm(Index, Index, Index, const Factor<T>&, const Factor<T>&, T, T*, Index, const TileFinish&);
GLOSSA_INSTANTIATE(float)
GLOSSA_INSTANTIATE(double)

}  // namespace glossa::kernels
