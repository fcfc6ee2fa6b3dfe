#pragma once

#include <cstdint>
#include <span>

#include "autograd/random.h"
#include "autograd/rows.h"

namespace glossa::kernels {

/// Random numbers of one place in the forward pass. Element (row, column) of a matrix of tokens draws 16 bits of
/// Philox(counter = (column block, position, sequence, site), key = (seed, update)): a function of what the element is,
/// not of where it lies in memory.
struct DropoutSite {
  PhiloxKey key;
  std::uint32_t site;
  std::uint32_t threshold;  // of 65536: how many of the 16-bit numbers drop

  DropoutSite(PhiloxKey key, std::uint32_t site, double p)
      : key(key), site(site), threshold(static_cast<std::uint32_t>(p * 65536.0 + 0.5)) {}

  /// What a kept element is multiplied by: 1 / P(kept), with the probability that is really drawn; 0 if none is kept.
  double keep_scale() const { return threshold == 65536 ? 0.0 : 65536.0 / (65536.0 - threshold); }
};

/// mask[row * cols + col] = 1 if kept, 0 if dropped, for every row of every sequence; gap rows get 0.
void dropout_mask(std::span<std::uint8_t> mask, Index cols, const DropoutSite& site, const RowLayout& layout);

/// Some of the attention weights of a sequence: for each of `heads` [keys, rows], of the keys and queries from
/// `first_key` and `first_row` on.
struct AttentionBlock {
  Index heads, first_key, keys, first_row, rows;
};

/// Their masks: that of head h and key j, a number a query, starts at mask + h * head_stride + j * rows, j counted from
/// first_key. Counter = (key, position of the query, sequence, site); the numbers of eight heads come from one counter.
/// `position` is that of the sequence's first query.
void attention_dropout_block(std::uint8_t* mask, Index head_stride, const AttentionBlock& block,
                             const DropoutSite& site, std::uint32_t sequence_id, Index position);

/// The masks of the attention weights of all sequences, one after the other, [heads, Tk, Tq in vectors of `vector`]
/// each; sequence b starts at heads * cells[b], and one without cells has no mask.
void attention_dropout_mask(std::span<std::uint8_t> mask, Index heads, std::span<const Index> cells, Index vector,
                            const DropoutSite& site, const RowLayout& query, const RowLayout& key);

}  // namespace glossa::kernels
