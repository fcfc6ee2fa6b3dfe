#pragma once

#include <string>

#include "autograd/kernels/bf16/bf16.h"
#include "autograd/kernels/int8/matrix.h"
#include "autograd/precision.h"
#include "autograd/tensor.h"
#include "base/parallel.h"

namespace glossa::kernels {

/// A matrix to multiply, with rows `stride` elements apart. If `transposed`, the product uses its transpose. Products
/// in bf16 read `packed` or `rounded` instead of `data`, if set. Products in int8 read `rows` and `weight`.
template <class T>
struct Factor {
  const T* data;
  Index stride;
  bool transposed = false;
  const Bf16* rounded = nullptr;          // the matrix in bf16, with the same stride
  const std::uint32_t* packed = nullptr;  // a right factor's panels (bf16/product.h)
  int8::Rows rows = {};                   // a left factor in int8
  const int8::Weight* weight = nullptr;   // W, if the factor is W^T and W is in int8

  /// The factor without its first `row` rows.
  Factor from_row(Index row) const {
    Factor rest = moved(transposed ? row : row * stride);
    if (rows) rest.rows = rows.from_row(row);
    return rest;
  }

  /// The factor without its first `col` columns; k is its number of rows. If it is packed, `col` must be a multiple of
  /// panel_columns.
  Factor from_col(Index col, Index k) const {
    Factor rest = moved(transposed ? col * stride : col);
    rest.packed = packed ? packed + col * ((k + 1) / 2) : nullptr;
    return rest;
  }

  Factor moved(Index by) const {
    return {data ? data + by : nullptr, stride, transposed, rounded ? rounded + by : nullptr};
  }
};

/// True if the product is in bf16 and several tiles cover the same columns of C. Each of them would pack the same part
/// of B, so packing B before the product saves work.
bool tiles_share_columns(Index m, Index n, Precision precision);

/// Memory for the result [m, n] of a product, with rows `stride` elements apart. It holds `numbers` or, if `numbers` is
/// null, the sums rounded to bf16. Adding to a result (beta = 1) requires `numbers`.
template <class T>
struct Result {
  T* numbers;
  Index stride;
  Bf16* rounded = nullptr;
};

/// Computes C = A B + beta C, where beta is 0 or 1. C is [m, n], A is [m, k] and B is [k, n]; a transposed factor has
/// this shape after transposing. The bits do not depend on the number of threads: a single thread computes each tile of
/// C. In full precision, the size of tiles depends only on m and n. In bf16 and int8, sums do not depend on the size of
/// tiles. In bf16, the factors are rounded, and sums are in float. With Precision::int8, a product of two factors with
/// codes is in int8 and requires beta = 0; any other product has full precision.
template <class T>
void gemm(Index m, Index n, Index k, const Factor<T>& a, const Factor<T>& b, T beta, const Result<T>& c,
          Precision precision = Precision::full);

/// A finished tile of C, with rows [first_row, last_row) and columns [first_col, last_col). The callback (TileFinish)
/// may change the tile's numbers. A result in bf16 is rounded afterwards.
template <class T>
struct Tile {
  Index first_row, last_row, first_col, last_col;
  T* numbers;  // points to element (first_row, first_col)
  Index stride;

  Index cols() const { return last_col - first_col; }
  /// Row i of C, starting at column first_col.
  T* row(Index i) const { return numbers + (i - first_row) * stride; }
};

/// Type-erased callback for each finished tile of C. It is called while the tile is still in the cache.
template <class T>
struct TileFinish {
  const void* closure = nullptr;
  void (*run)(const void* closure, const Tile<T>& tile) = nullptr;
};

/// Rows and columns of a tile.
struct TileSize {
  Index rows, cols;
};

/// A matrix product cut into tiles for several threads. One parallel loop may compute the tiles of several products.
template <class T>
class TiledProduct {
 public:
  TiledProduct() = default;  // a product without tiles
  TiledProduct(Index m, Index n, Index k, const Factor<T>& a, const Factor<T>& b, T beta, const Result<T>& c,
               Precision precision = Precision::full, const TileFinish<T>& finish = {});

  /// As the constructor above, but with tiles of this size. In bf16 and int8, size.cols must be a multiple of
  /// panel_columns. If both pointers in `c` are null, only `finish` receives the numbers.
  TiledProduct(Index m, Index n, Index k, const Factor<T>& a, const Factor<T>& b, T beta, const Result<T>& c,
               Precision precision, const TileFinish<T>& finish, const TileSize& size);

  Index count() const { return count_; }
  void compute(Index tile) const;

 private:
  Index m_ = 0, n_ = 0, k_ = 0, tile_rows_ = 0, tile_cols_ = 0, count_ = 0;
  Factor<T> a_{}, b_{};
  T beta_{};
  Result<T> c_{};
  Precision precision_ = Precision::full;  // int8 only if both factors have codes
  TileFinish<T> finish_{};
};

/// Computes C = A B and calls finish(tile) for every finished tile.
template <class T, class Finish>
void gemm_then(Index m, Index n, Index k, const Factor<T>& a, const Factor<T>& b, const Result<T>& c,
               Precision precision, const Finish& finish) {
  const auto run = [](const void* closure, const Tile<T>& tile) { (*static_cast<const Finish*>(closure))(tile); };
  const TiledProduct<T> product(m, n, k, a, b, T{0}, c, precision, {&finish, run});
  parallel_for(product.count(), [&](Index tile) { product.compute(tile); });
}

/// Callback for gemm_then: adds bias [n], if present, to each row.
template <class T>
struct AddBias {
  Tensor<const T> bias;

  void operator()(const Tile<T>& tile) const {
    if (!bias.data) return;
    const T* const added = bias.data + tile.first_col;
    for (Index i = tile.first_row; i < tile.last_row; ++i) {
      T* const row = tile.row(i);
#pragma omp simd
      for (Index j = 0; j < tile.cols(); ++j) row[j] += added[j];
    }
  }
};

/// The process-wide GEMM library for float tiles in full precision. The default is oneDNN if found at build time,
/// otherwise Eigen. Double tiles always use Eigen.
enum class GemmBackend { eigen, onednn };
GemmBackend gemm_backend();
/// Throws if the backend was not built in. The backend affects the last bits of results.
void set_gemm_backend(GemmBackend backend);
bool has_gemm_backend(GemmBackend backend);
std::string name(GemmBackend backend);

/// Describes the current GEMM library. For oneDNN, adds its version and instruction set, which affect the last bits.
std::string describe_gemm_backend();

/// Multiplies once with each kernel of the current GEMM library. oneDNN generates kernel code on first use, and may
/// crash if memory is short. This function therefore first checks that enough memory is available; throws Error
/// otherwise.
void prepare_gemm();

/// Computes one tile with one backend. Each backend has its own file.
template <class T>
void eigen_tile(Index m, Index n, Index k, const Factor<T>& a, const Factor<T>& b, T beta, T* c, Index stride);
/// `threads` is the number of oneDNN's own threads. More than one is for measurements only: oneDNN then splits the sums
/// over k among its threads, so their number affects the last bits.
void onednn_tile(Index m, Index n, Index k, const Factor<float>& a, const Factor<float>& b, float beta, float* c,
                 Index stride, int threads = 1);

/// oneDNN's version and the instruction set it uses on this processor.
std::string onednn_description();

}  // namespace glossa::kernels
