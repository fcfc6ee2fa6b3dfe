#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "autograd/kernels/dropout.h"
#include "autograd/rows.h"
#include "autograd/tensor.h"

namespace glossa::kernels {

/// Columns of a matrix of rows: head h of q, k or v is the `width` columns from h * width.
template <class T>
struct Columns {
  T* data = nullptr;  // null: not wanted
  Index stride = 0;
  bool add = false;  // gradients only: add to what is there
};

/// One of each for q, k and v.
template <class T>
struct AttentionColumns {
  Columns<T> q, k, v;
};

/// Fewer queries than these, as in decoding, go one by one.
inline constexpr Index few_queries = 4;

/// Sequences with more weights a head than this, Tq Tk, are computed in tiles. Up to here it is faster to keep them,
/// and for heads of 64 columns they take no more memory than q, k, v and the result do.
inline constexpr Index most_kept_weights = 256 * 256;

/// One call of attention: who attends to whom, and how. A sequence is computed in one of two ways, by its lengths
/// alone: short ones keep their weights for the way back; long ones keep one number a query and head, and compute their
/// weights again, tile by tile.
template <class T>
struct AttentionShape {
  RowLayout query, key;
  Index heads, key_width, value_width;
  bool causal;
  T scale;
  Tensor<T> mask;                      // added to the scores, turned over: [S, T in whole vectors]; no data: none
  Index most_kept;                     // sequences with more weights a head are computed in tiles; with a mask: none
  std::span<const Index> cells;        // sum of the kept weights of a head, Tk * padded(Tq), over the sequences before
  std::span<const std::uint8_t> keep;  // dropout mask of the kept weights, laid out like them; empty: none
  std::optional<DropoutSite> dropout;  // where tiles draw their part of it
  T keep_scale;

  /// Whether some keys may be kept from some queries.
  bool blocks() const { return causal || mask.data != nullptr; }

  /// Whether sequence b is computed in tiles.
  bool in_tiles(Index b) const {
    const Index rows = query.sequences[b].length;
    return rows >= few_queries && rows * key.sequences[b].length > most_kept;
  }

  bool any_in_tiles() const {
    bool any = false;
    for (Index b = 0; b < query.sequence_count(); ++b) any |= in_tiles(b);
    return any;
  }

  /// How many weights are computed, without what fills vectors: of a causal sequence a triangle.
  Index scores() const;

  /// Elements of scratch that a call needs.
  Index scratch_size() const;
};

/// What the way back needs beside the operands and the result. Weights, before dropout, lie sequence by sequence as
/// [heads, Tk, Tq], the queries in whole vectors: what belongs to a query is a lane, so that its softmax sums down
/// lanes and never along them. Those of sequence b start at heads * cells[b]. Of a causal sequence what lies well above
/// the diagonal is not written.
template <class T>
struct AttentionSaved {
  T* weights = nullptr;   // of the sequences that keep them; null: not wanted
  T* log_sums = nullptr;  // log sum_j exp(score_j) of those in tiles: [heads, rows of the queries]; null: not wanted
};

/// weights = softmax(scale q k^T + mask), out = dropout(weights) v, per (sequence, head). Gap rows of `out` become 0.
template <class T>
void attention_forward(const AttentionShape<T>& shape, const AttentionColumns<const T>& x,
                       const AttentionSaved<T>& saved, Columns<T> out, T* scratch);

/// Gradients of q, k and v from that of `out`; gap rows get 0.
template <class T>
void attention_backward(const AttentionShape<T>& shape, const AttentionColumns<const T>& x,
                        const AttentionSaved<T>& saved, Columns<const T> out, Columns<const T> dout,
                        const AttentionColumns<T>& dx, T* scratch);

}  // namespace glossa::kernels
