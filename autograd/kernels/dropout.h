#pragma once

#include <cstdint>
#include <span>

#include "autograd/rows.h"
#include "base/random.h"

namespace glossa::kernels {

/// Random numbers of one site, which is an op that draws random numbers. Each element of a matrix [tokens, columns]
/// draws 16 bits of Philox. The counter is (column block, position, sequence, site); the key depends on (seed, update).
/// The bits therefore depend on the token's place in its sequence, not on its row in the batch.
struct DropoutSite {
  PhiloxKey key;
  std::uint32_t site;
  std::uint32_t threshold;  // an element is dropped if its 16 bits are below this; at most 65536

  DropoutSite(PhiloxKey key, std::uint32_t site, double p)
      : key(key), site(site), threshold(static_cast<std::uint32_t>(p * 65536.0 + 0.5)) {}

  /// Factor of a kept element: 1 / P(kept), with P rounded to a multiple of 1/65536; 0 if no element is kept.
  double keep_scale() const { return threshold == 65536 ? 0.0 : 65536.0 / (65536.0 - threshold); }
};

/// mask[row * cols + col] = 1 if kept, 0 if dropped, for every row of every sequence; gap rows get 0.
void dropout_mask(std::span<std::uint8_t> mask, Index cols, const DropoutSite& site, const RowLayout& layout);

/// A block of a sequence's attention weights, [heads, keys, rows], starting at key `first_key` and query `first_row`.
struct AttentionBlock {
  Index heads, first_key, keys, first_row, rows;
};

/// Draws the block's masks. The mask of head h and key first_key + j, one byte per query, starts at mask + h *
/// head_stride + j * rows. The counter is (key and group of eight heads, query's position, sequence, site). A group's
/// eight heads share the counter's 128 bits. `position` is the position of the sequence's first query.
void attention_dropout_block(std::uint8_t* mask, Index head_stride, const AttentionBlock& block,
                             const DropoutSite& site, std::uint32_t sequence_id, Index position);

/// Draws the masks of all sequences' attention weights, each [heads, Tk, Tq] with Tq rounded up to a multiple of
/// `vector`. The masks of sequence b start at heads * cells[b] (see AttentionShape::cells). A sequence that keeps no
/// weights has no mask.
void attention_dropout_mask(std::span<std::uint8_t> mask, Index heads, std::span<const Index> cells, Index vector,
                            const DropoutSite& site, const RowLayout& query, const RowLayout& key);

}  // namespace glossa::kernels
