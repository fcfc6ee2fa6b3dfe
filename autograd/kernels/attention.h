#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "autograd/kernels/bf16/bf16.h"
#include "autograd/kernels/dropout.h"
#include "autograd/kernels/matrix_views.h"
#include "autograd/rows.h"
#include "autograd/tensor.h"

/// Attention of packed sequences, for ops/attention.cpp, which has the formulas. To read the kernels, begin with
/// attention_whole.cpp, the path of training, and attention_head.h, its products. attention.cpp divides the work among
/// threads; attention_paths.h lists the other paths. autograd/cases/attention_reference.h is the definition, in plain
/// loops. tests/autograd/attention_test.cpp compares every path with it.
namespace glossa::kernels {

/// q, k and v, or their gradients. Head h has columns [h * width, (h + 1) * width); `width` is key_width in q and k,
/// and value_width in v. q has `heads` heads; k and v have `key_heads`.
template <class T>
struct AttentionColumns {
  Columns<T> q, k, v;
};

/// The ways to compute attention of one sequence, compared in docs/attention.md.
enum class AttentionPath {
  few,    // one query at a time, for decoding
  whole,  // all weights of a head at once, kept for the derivative
  tiles   // a tile of weights at a time; the derivative recomputes them
};

/// Sequences with fewer queries take the path `few`.
inline constexpr Index few_queries = 4;

/// Maximum number of weights per head, Tq Tk, that the path `whole` keeps. Up to this limit, keeping weights is faster
/// than recomputing them. For heads of 64 columns, the kept weights take no more memory than q, k, v and the result.
inline constexpr Index max_kept_weights = 256 * 256;

/// The path of a sequence. It depends only on the numbers of queries and keys, which keeps the bits of results
/// independent of the batch.
constexpr AttentionPath attention_path(Index queries, Index keys, Index max_kept = max_kept_weights) {
  if (queries < few_queries) return AttentionPath::few;
  return queries * keys > max_kept ? AttentionPath::tiles : AttentionPath::whole;
}

/// Everything about one call of attention except q, k and v.
template <class T>
struct AttentionShape {
  RowLayout query, key;
  Index heads, key_heads, key_width, value_width;
  bool causal;
  T scale;
  Index max_kept = max_kept_weights;
  std::span<const Index> cells{};        // [b]: number of kept weights per head in all sequences before b
  Tensor<T> mask{};                      // transposed: [keys, padded(queries)]; added to scores; no data: no mask
  std::span<const std::uint8_t> keep{};  // dropout mask in the layout of the kept weights; empty: no dropout. With
                                         // saves_in_bf16, only for the forward pass: the saved signs contain the mask
  std::optional<DropoutSite> dropout{};  // draws the masks for the path `tiles`; empty: no dropout
  T keep_scale{1};                       // factor of the weights that dropout keeps
  std::span<const T> slopes{};           // ALiBi's slopes [heads]: score -= slope * |distance|; empty: no ALiBi
  bool in_bf16 = false;                  // true: q, k, v and the result are in bf16
  bool saves_in_bf16 = false;            // true: the saved weights are in bf16; requires in_bf16

  /// Number of consecutive query heads that share one head of keys and values.
  Index group_size() const { return heads / key_heads; }

  /// True if some keys may be blocked for some queries.
  bool blocks() const { return causal || mask.data != nullptr; }

  AttentionPath path(Index b) const {
    return attention_path(query.sequences[b].length, key.sequences[b].length, max_kept);
  }
  /// Position of query i in its sequence minus the position of key j.
  Index distance(Index i, Index j) const { return query.first_position + i - (key.first_position + j); }

  bool in_tiles(Index b) const { return path(b) == AttentionPath::tiles; }
  bool any_in_tiles() const;

  /// Number of weights of all heads and sequences, without padding. If causal, weights above the diagonal do not count.
  Index scores() const;

  /// Scratch size of a call, in elements.
  Index scratch_size() const;
};

/// Numbers that the derivative needs besides operands and result. Weights are saved before dropout, as [heads, Tk,
/// padded(Tq)] for each sequence. Adjacent queries are the lanes of a vector, so softmax never sums across a vector.
/// The weights of sequence b start at heads * cells[b]. If causal, weights above the blocks on the diagonal (see Reach)
/// are not written.
template <class T>
struct AttentionSaved {
  T* weights = nullptr;     // null: not saved
  T* log_sums = nullptr;    // log sum_j exp(score_j) for path `tiles`, [heads, query rows]; null: not saved
  Bf16* rounded = nullptr;  // the weights in bf16, negative if dropped; replaces `weights`
};

/// Sets y = dropout(softmax(scale q k^T + mask - slope |distance|)) v for each sequence and head. Sets gap rows of `y`
/// to 0. Never adds to `y`. The elements E of q, k, v and `y` are T or Bf16; in bf16, weights and sums stay in T.
template <class T, class E>
void attention_forward(const AttentionShape<T>& shape, const AttentionColumns<const E>& x,
                       const AttentionSaved<T>& saved, const Columns<E>& y, T* scratch);

/// Computes the gradients of q, k and v from the gradient of `y`; gap rows get 0. A group's heads add to the same
/// columns of dk and dv, one after the other.
template <class T, class E>
void attention_backward(const AttentionShape<T>& shape, const AttentionColumns<const E>& x,
                        const AttentionSaved<T>& saved, const Columns<const E>& y, const Columns<const T>& dy,
                        const AttentionColumns<T>& dx, T* scratch);

}  // namespace glossa::kernels
