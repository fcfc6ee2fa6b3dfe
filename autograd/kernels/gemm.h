#pragma once

#include <string>

#include "autograd/parallel.h"
#include "autograd/tensor.h"

namespace glossa::kernels {

/// A matrix to multiply: rows of `stride` elements, read transposed if `transposed`.
template <class T>
struct Factor {
  const T* data;
  Index stride;
  bool transposed = false;
};

/// C = A B + beta C: C [m, n] with rows of `stride` elements, A [m, k], B [k, n] after their transposes; beta is 0 or
/// 1. The single entry for all matrix products. m, n and k alone decide the tiles of C, and one thread computes each
/// whole: the bits do not depend on the number of threads.
template <class T>
void gemm(Index m, Index n, Index k, const Factor<T>& a, const Factor<T>& b, T beta, T* c, Index stride);

/// Rows and columns of a tile of C.
struct TileRange {
  Index first_row, last_row, first_col, last_col;  // last exclusive
};

/// Type-erased callback for every finished tile of C, called while it is still in the cache.
struct TileFinish {
  const void* closure = nullptr;
  void (*run)(const void* closure, const TileRange& tile) = nullptr;
};

/// A product cut into pieces for threads; pieces of several products may share a parallel region.
template <class T>
class TiledProduct {
 public:
  TiledProduct() = default;  // no tiles
  TiledProduct(Index m, Index n, Index k, const Factor<T>& a, const Factor<T>& b, T beta, T* c, Index stride,
               const TileFinish& finish = {});

  Index count() const { return count_; }
  void compute(Index tile) const;

 private:
  Index m_ = 0, n_ = 0, k_ = 0, stride_ = 0, tile_rows_ = 0, tile_cols_ = 0, count_ = 0;
  Factor<T> a_{}, b_{};
  T beta_{}, *c_ = nullptr;
  TileFinish finish_{};
};

/// The product, then finish(tile) for every tile.
template <class T, class Finish>
void gemm_then(Index m, Index n, Index k, const Factor<T>& a, const Factor<T>& b, T* c, Index stride,
               const Finish& finish) {
  const auto run = [](const void* closure, const TileRange& tile) { (*static_cast<const Finish*>(closure))(tile); };
  const TiledProduct<T> product(m, n, k, a, b, T{0}, c, stride, {&finish, run});
  parallel_for(product.count(), [&](Index tile) { product.compute(tile); });
}

/// For gemm_then: y += bias [n], row by row.
template <class T>
struct AddBias {
  Tensor<T> y;
  Tensor<const T> bias;

  void operator()(const TileRange& tile) const {
    for (Index i = tile.first_row; i < tile.last_row; ++i) {
      T* const row = y.row(i);
#pragma omp simd
      for (Index j = tile.first_col; j < tile.last_col; ++j) row[j] += bias.data[j];
    }
  }
};

/// Library that multiplies float tiles, for the whole process: "onednn" if found at build time, else "eigen". Double
/// uses Eigen.
enum class GemmBackend { eigen, onednn };
GemmBackend gemm_backend();
/// Throws if the backend was not built in. The backend affects the last bits.
void set_gemm_backend(GemmBackend backend);
bool has_gemm_backend(GemmBackend backend);
std::string name(GemmBackend backend);

/// Everything the current library's bits depend on, on this processor.
std::string describe_gemm_backend();

/// One tile by one backend; a file each.
template <class T>
void eigen_tile(Index m, Index n, Index k, const Factor<T>& a, const Factor<T>& b, T beta, T* c, Index stride);
/// With more than one of its own `threads`, oneDNN splits k by their number: for measurements only.
void onednn_tile(Index m, Index n, Index k, const Factor<float>& a, const Factor<float>& b, float beta, float* c,
                 Index stride, int threads = 1);

/// oneDNN's version and the instruction set it uses on this processor.
std::string onednn_description();

}  // namespace glossa::kernels
