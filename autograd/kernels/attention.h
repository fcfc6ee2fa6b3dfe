#pragma once

#include <cstdint>
#include <span>

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

/// One call of attention: who attends to whom, and how. Weights are kept sequence by sequence as [heads, Tk, Tq], the
/// queries in whole vectors: what belongs to a query is a lane, so that its softmax sums down lanes and never along
/// them. Those of sequence b start at heads * cells[b].
template <class T>
struct AttentionShape {
  RowLayout query, key;
  Index heads, key_width, value_width;
  bool causal;
  T scale;
  Tensor<T> mask;                      // added to the scores, turned over: [S, T in whole vectors]; no data: none
  std::span<const Index> cells;        // sum of Tk * padded(Tq) over the sequences before
  std::span<const std::uint8_t> keep;  // dropout mask of the weights, laid out like them; empty: none
  T keep_scale;

  /// Whether some keys may be kept from some queries.
  bool blocks() const { return causal || mask.data != nullptr; }

  /// How many weights there are, without what fills vectors.
  Index scores() const {
    Index cells = 0;
    for (Index b = 0; b < query.sequence_count(); ++b) cells += query.sequences[b].length * key.sequences[b].length;
    return heads * cells;
  }

  /// Elements of scratch that one thread needs.
  Index scratch_size() const;
};

/// weights = softmax(scale q k^T + mask), out = dropout(weights) v, per (sequence, head). Gap rows of `out` become 0.
template <class T>
void attention_forward(const AttentionShape<T>& shape, Columns<const T> q, Columns<const T> k, Columns<const T> v,
                       T* weights, Columns<T> out, T* scratch);

/// Gradients of q, k and v from that of `out`; gap rows get 0.
template <class T>
void attention_backward(const AttentionShape<T>& shape, Columns<const T> q, Columns<const T> k, Columns<const T> v,
                        const T* weights, Columns<const T> dout, Columns<T> dq, Columns<T> dk, Columns<T> dv,
                        T* scratch);

}  // namespace glossa::kernels
