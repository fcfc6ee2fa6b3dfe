#pragma once

#include <string>

#include "autograd/kernels/bf16/bf16.h"
#include "autograd/parallel.h"
#include "autograd/precision.h"
#include "autograd/tensor.h"

namespace glossa::kernels {

/// A matrix to multiply. Its rows are `stride` elements apart. If `transposed`, the product uses the transpose of this
/// matrix. For products in bf16, the same numbers may also exist in two other forms, which the product then reads
/// instead.
template <class T>
struct Factor {
  const T* data;
  Index stride;
  bool transposed = false;
  const Bf16* rounded = nullptr;          // in bf16, with the same stride
  const std::uint32_t* packed = nullptr;  // a right factor's panels (bf16/product.h)

  /// The factor without its first `row` rows.
  Factor from_row(Index row) const { return moved(transposed ? row : row * stride); }

  /// The factor, of k rows, without its first `col` columns. If it is packed, these are whole panels.
  Factor from_col(Index col, Index k) const {
    Factor rest = moved(transposed ? col * stride : col);
    rest.packed = packed ? packed + col * ((k + 1) / 2) : nullptr;
    return rest;
  }

  Factor moved(Index by) const {
    return {data ? data + by : nullptr, stride, transposed, rounded ? rounded + by : nullptr};
  }
};

/// Computes C = A B + beta C, where beta is 0 or 1. C is [m, n], with rows `stride` elements apart. A is [m, k] and B
/// is [k, n]; a transposed factor has this shape after transposing. The tiles of C depend only on m, n and k, and each
/// tile is computed by a single thread. The bits therefore do not depend on the number of threads. In bf16, the factors
/// are rounded, and sums are in float.
template <class T>
void gemm(Index m, Index n, Index k, const Factor<T>& a, const Factor<T>& b, T beta, T* c, Index stride,
          Precision precision = Precision::full);

/// True if a product in bf16 has several tiles in the same columns of C. Packing B before the product then saves work.
bool tiles_share_columns(Index m, Index n, Precision precision);

/// Rows and columns of a tile of C.
struct TileRange {
  Index first_row, last_row, first_col, last_col;  // last exclusive
};

/// Type-erased callback for every finished tile of C, called while the tile is still in the cache.
struct TileFinish {
  const void* closure = nullptr;
  void (*run)(const void* closure, const TileRange& tile) = nullptr;
};

/// A matrix product that is cut into tiles, for several threads. One parallel loop may compute the tiles of several
/// products.
template <class T>
class TiledProduct {
 public:
  TiledProduct() = default;  // no tiles
  TiledProduct(Index m, Index n, Index k, const Factor<T>& a, const Factor<T>& b, T beta, T* c, Index stride,
               Precision precision = Precision::full, const TileFinish& finish = {});

  Index count() const { return count_; }
  void compute(Index tile) const;

 private:
  Index m_ = 0, n_ = 0, k_ = 0, stride_ = 0, tile_rows_ = 0, tile_cols_ = 0, count_ = 0;
  Factor<T> a_{}, b_{};
  T beta_{}, *c_ = nullptr;
  Precision precision_ = Precision::full;
  TileFinish finish_{};
};

/// Computes C = A B and calls finish(tile) for every finished tile.
template <class T, class Finish>
void gemm_then(Index m, Index n, Index k, const Factor<T>& a, const Factor<T>& b, T* c, Index stride,
               Precision precision, const Finish& finish) {
  const auto run = [](const void* closure, const TileRange& tile) { (*static_cast<const Finish*>(closure))(tile); };
  const TiledProduct<T> product(m, n, k, a, b, T{0}, c, stride, precision, {&finish, run});
  parallel_for(product.count(), [&](Index tile) { product.compute(tile); });
}

/// Callback for gemm_then: adds bias [n] to each row of y.
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

/// GEMM library for float tiles, one for the entire process. The default is oneDNN if found at build time, else Eigen.
/// Double tiles always use Eigen.
enum class GemmBackend { eigen, onednn };
GemmBackend gemm_backend();
/// Throws if the backend was not built in. The backend affects the last bits of results.
void set_gemm_backend(GemmBackend backend);
bool has_gemm_backend(GemmBackend backend);
std::string name(GemmBackend backend);

/// Returns a description of the current GEMM library and of everything on this processor that affects the bits of its
/// results.
std::string describe_gemm_backend();

/// Computes one tile with one backend. Each backend has its own file.
template <class T>
void eigen_tile(Index m, Index n, Index k, const Factor<T>& a, const Factor<T>& b, T beta, T* c, Index stride);
/// `threads` is the number of oneDNN's own threads. More than one is for measurements only: oneDNN then splits the sums
/// over k among its threads, so the last bits depend on their number.
void onednn_tile(Index m, Index n, Index k, const Factor<float>& a, const Factor<float>& b, float beta, float* c,
                 Index stride, int threads = 1);

/// oneDNN's version and the instruction set it uses on this processor.
std::string onednn_description();

}  // namespace glossa::kernels
