#pragma once

#include <cstdint>
#include <span>

#include "autograd/random.h"
#include "autograd/rows.h"

namespace glossa::kernels {

/// Random numbers of one site in the forward pass. Element (row, column) of a matrix of tokens draws 16 bits of
/// Philox(counter = (column block, position, sequence, site), key = (seed, update)): a function of the element's
/// identity, not of its address.
struct DropoutSite {
  PhiloxKey key;
  std::uint32_t site;
  std::uint32_t threshold;  // of 65536: count of 16-bit numbers that drop

  DropoutSite(PhiloxKey key, std::uint32_t site, double p)
      : key(key), site(site), threshold(static_cast<std::uint32_t>(p * 65536.0 + 0.5)) {}

  /// Factor of a kept element: 1 / P(kept), with the actual, rounded probability; 0 if none is kept.
  double keep_scale() const { return threshold == 65536 ? 0.0 : 65536.0 / (65536.0 - threshold); }
};

/// mask[row * cols + col] = 1 if kept, 0 if dropped, for every row of every sequence; gap rows get 0.
void dropout_mask(std::span<std::uint8_t> mask, Index cols, const DropoutSite& site, const RowLayout& layout);

/// A block of a sequence's attention weights: for each of `heads` [keys, rows], from key `first_key` and query
/// `first_row` on.
struct AttentionBlock {
  Index heads, first_key, keys, first_row, rows;
};

/// The block's masks: head h and key j, one number per query, start at mask + h * head_stride + j * rows, j from
/// first_key. Counter = (key, position of the query, sequence, site); the numbers of eight heads come from one counter.
/// `position` is of the sequence's first query.
void attention_dropout_block(std::uint8_t* mask, Index head_stride, const AttentionBlock& block,
                             const DropoutSite& site, std::uint32_t sequence_id, Index position);

/// The masks of all sequences' attention weights, one after another, [heads, Tk, Tq in vectors of `vector`] each;
/// sequence b starts at heads * cells[b]; one without has no mask.
void attention_dropout_mask(std::span<std::uint8_t> mask, Index heads, std::span<const Index> cells, Index vector,
                            const DropoutSite& site, const RowLayout& query, const RowLayout& key);

}  // namespace glossa::kernels
