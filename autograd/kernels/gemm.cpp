#include "autograd/kernels/gemm.h"

#include <algorithm>
#include <atomic>
#include <vector>

#include "autograd/kernels/bf16/product.h"
#include "autograd/kernels/int8/product.h"
#include "autograd/kernels/product_log.h"
#include "autograd/kernels/zero_products.h"
#include "base/check.h"
#include "base/parallel.h"

namespace glossa::kernels {

namespace {

#ifdef GLOSSA_HAS_ONEDNN
constexpr bool onednn_built = true;
#else
constexpr bool onednn_built = false;
#endif

std::atomic<GemmBackend>& backend() {
  static std::atomic<GemmBackend> chosen = onednn_built ? GemmBackend::onednn : GemmBackend::eigen;
  return chosen;
}

/// The division of C into tiles.
struct Tiling {
  Index rows, cols;

  Tiling(Index m, Index n, Precision precision, bool packs_left = false) : rows(m), cols(n) {
    precision == Precision::full ? cut_for_library(m, n) : cut_for_panels(m, n, packs_left);
  }

  Index count(Index m, Index n) const { return ((m + rows - 1) / rows) * ((n + cols - 1) / cols); }

 private:
  /// Chooses tiles large enough for the library to run near its peak. A large C has at least eight tiles, for eight
  /// threads. Tiles must not depend on the actual number of threads, because the library's sums may depend on tile
  /// sizes.
  void cut_for_library(Index m, Index n) {
    rows = std::min<Index>(128, m);
    cols = std::min<Index>(512, n);
    while (count(m, n) < 8 && (rows > 64 || cols > 128)) (rows > 64 && 4 * rows >= cols ? rows : cols) /= 2;
    // A tile contains whole cache lines, so adjacent tiles never share one.
    cols = std::min(n, (cols + 15) / 16 * 16);
  }

  /// Chooses tiles for bf16 and int8, whose sums do not depend on tiles. Each tile packs its parts of factors that are
  /// not packed yet. Tiles are therefore as large as the L2 cache and the number of threads allow. They may have more
  /// rows than columns, because a panel in the L1 cache serves all rows.
  void cut_for_panels(Index m, Index n, bool packs_left) {
    constexpr Index panel = panel_columns, most_rows = bf16::most_rows, most_cols = bf16::most_columns;
    const auto part = [](Index whole, Index parts, Index step) {
      return (whole + parts * step - 1) / (parts * step) * step;
    };
    rows = std::min(m, part(m, (m + most_rows - 1) / most_rows, 6));
    cols = std::min(n, most_cols);
    for (Index parts = 2; packs_left && m > n && count(m, n) < threads() && rows > 48; ++parts)
      rows = part(m, parts, 6);
    for (Index parts = 1; count(m, n) < threads() && cols > panel; ++parts)
      cols = part(std::min(n, most_cols), 2 * parts, panel);
    for (Index parts = 2; count(m, n) < threads() && rows > 48; ++parts) rows = part(m, parts, 6);
  }
};

void multiply(Index m, Index n, Index k, const Factor<double>& a, const Factor<double>& b, double beta, double* c,
              Index stride, Precision) {
  eigen_tile(m, n, k, a, b, beta, c, stride);
}

void multiply(Index m, Index n, Index k, const Factor<float>& a, const Factor<float>& b, float beta, float* c,
              Index stride, Precision precision) {
  if (precision == Precision::bf16) return bf16::tile(bf16::kind(), m, n, k, a, b, beta, c, stride);
#ifdef GLOSSA_HAS_ONEDNN
  if (backend() == GemmBackend::onednn) return onednn_tile(m, n, k, a, b, beta, c, stride);
#endif
  eigen_tile(m, n, k, a, b, beta, c, stride);
}

void multiply_codes(Index rows, Index first_col, Index cols, const int8::Rows& x, const int8::Weight& w, float* c,
                    Index stride) {
  int8::tile(int8::kind(), rows, first_col, cols, x, w, c, stride);
}
void multiply_codes(Index, Index, Index, const int8::Rows&, const int8::Weight&, double*, Index) {}  // never called

/// A thread's memory for a tile of a result without `numbers`. The first call allocates enough for the largest tile.
template <class T>
T* tile_memory(Index size) {
  static thread_local std::vector<T> memory(bf16::most_rows * bf16::most_columns);
  if (std::ssize(memory) < size) memory.resize(static_cast<std::size_t>(size));
  return memory.data();
}

}  // namespace

bool tiles_share_columns(Index m, Index n, Precision precision) {
  return precision == Precision::bf16 && m > 0 && n > 0 && Tiling(m, n, precision).rows < m;
}

template <class T>
TiledProduct<T>::TiledProduct(Index m, Index n, Index k, const Factor<T>& a, const Factor<T>& b, T beta,
                              const Result<T>& c, Precision precision, const TileFinish<T>& finish)
    : m_(m), n_(n), k_(k), a_(a), b_(b), beta_(beta), c_(c), precision_(precision), finish_(finish) {
  if (m == 0 || n == 0) return;
  ProductLog::note({m, n, k, a.transposed, b.transposed});
  if (precision == Precision::int8 && !(a.rows && b.weight)) precision_ = Precision::full;
  if (ZeroProducts::active()) k_ = 0;
  const Tiling tiling(m, n, precision_, a.transposed);
  tile_rows_ = tiling.rows;
  tile_cols_ = tiling.cols;
  count_ = tiling.count(m, n);
}

template <class T>
TiledProduct<T>::TiledProduct(Index m, Index n, Index k, const Factor<T>& a, const Factor<T>& b, T beta,
                              const Result<T>& c, Precision precision, const TileFinish<T>& finish,
                              const TileSize& size)
    : TiledProduct(m, n, k, a, b, beta, c, precision, finish) {
  tile_rows_ = size.rows;
  tile_cols_ = size.cols;
  count_ = (m + size.rows - 1) / size.rows * ((n + size.cols - 1) / size.cols);
}

template <class T>
void TiledProduct<T>::compute(Index tile) const {
  const Index across = (n_ + tile_cols_ - 1) / tile_cols_;
  const Index i = tile / across * tile_rows_, j = tile % across * tile_cols_;
  const Index rows = std::min(tile_rows_, m_ - i), cols = std::min(tile_cols_, n_ - j);
  const Index at = i * c_.stride + j;
  const Tile<T> to{i,
                   i + rows,
                   j,
                   j + cols,
                   c_.numbers ? c_.numbers + at : tile_memory<T>(rows * cols),
                   c_.numbers ? c_.stride : cols};
  if (precision_ == Precision::int8)
    multiply_codes(rows, j, cols, a_.rows.from_row(i), *b_.weight, to.numbers, to.stride);
  else if (k_ > 0)
    multiply(rows, cols, k_, a_.from_row(i), b_.from_col(j, k_), beta_, to.numbers, to.stride, precision_);
  else if (beta_ == T{0})
    for (Index row = 0; row < rows; ++row) std::fill_n(to.numbers + row * to.stride, cols, T{0});
  if (finish_.run) finish_.run(finish_.closure, to);
  if constexpr (std::is_same_v<T, float>)
    for (Index row = 0; row < rows && c_.rounded; ++row)
      bf16::kind().round(cols, to.numbers + row * to.stride, c_.rounded + at + row * c_.stride);
}

template <class T>
void gemm(Index m, Index n, Index k, const Factor<T>& a, const Factor<T>& b, T beta, const Result<T>& c,
          Precision precision) {
  const TiledProduct<T> product(m, n, k, a, b, beta, c, precision);
  parallel_for(product.count(), [&](Index tile) { product.compute(tile); });
}

GemmBackend gemm_backend() { return backend(); }

bool has_gemm_backend(GemmBackend wanted) { return wanted == GemmBackend::eigen || onednn_built; }

void set_gemm_backend(GemmBackend wanted) {
  check(has_gemm_backend(wanted), "set_gemm_backend",
        "expected a backend of this build; got {}. Hint: install libdnnl-dev and build again", name(wanted));
  backend() = wanted;
}

std::string describe_gemm_backend() {
#ifdef GLOSSA_HAS_ONEDNN
  if (backend() == GemmBackend::onednn) return onednn_description();
#endif
  return name(backend());
}

std::string name(GemmBackend which) { return which == GemmBackend::onednn ? "onednn" : "eigen"; }

#define GLOSSA_INSTANTIATE(T)     \
  template class TiledProduct<T>; \
  template void gemm(Index, Index, Index, const Factor<T>&, const Factor<T>&, T, const Result<T>&, Precision);
GLOSSA_INSTANTIATE(float)
GLOSSA_INSTANTIATE(double)
#undef GLOSSA_INSTANTIATE

}  // namespace glossa::kernels
