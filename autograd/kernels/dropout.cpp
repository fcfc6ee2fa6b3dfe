#include "autograd/kernels/dropout.h"

#include <algorithm>
#include <array>

#include "base/parallel.h"

namespace glossa::kernels {

namespace {

constexpr Index width = 16;  // counters in a block
constexpr Index lanes = 8;   // 16-bit random numbers per counter
constexpr Index chunk = width * lanes;
constexpr Index blocks = 2;  // blocks computed side by side; a single block would stall on its multiplications

using Words = std::array<std::array<std::uint32_t, blocks * width>, 4>;

/// Computes Philox for all counters, word by word to allow vectorizing.
void philox(Words& c, PhiloxKey key) {
#pragma GCC unroll 10
  for (int round = 0; round < 10; ++round) {
#pragma omp simd
    for (Index i = 0; i < blocks * width; ++i) {
      const std::uint64_t p0 = std::uint64_t{0xD2511F53u} * c[0][i];
      const std::uint64_t p1 = std::uint64_t{0xCD9E8D57u} * c[2][i];
      c[0][i] = static_cast<std::uint32_t>(p1 >> 32) ^ c[1][i] ^ key[0];
      c[2][i] = static_cast<std::uint32_t>(p0 >> 32) ^ c[3][i] ^ key[1];
      c[1][i] = static_cast<std::uint32_t>(p1);
      c[3][i] = static_cast<std::uint32_t>(p0);
    }
    key[0] += 0x9E3779B9u;
    key[1] += 0xBB67AE85u;
  }
}

/// Draws random numbers for the blocks {0, ..., count-1} and calls use(block, keep) for each block. counter(block) is
/// the first of the block's sixteen counters; the following counters increment word number `counts`. keep(lane, mask,
/// length) takes number `lane` (0 to 7) of each of the block's first `length` counters, compares it with the threshold
/// and writes the mask.
template <class Counter, class Use>
void draw(Index count, const DropoutSite& site, int counts, const Counter& counter, const Use& use) {
  for (Index first = 0; first < count; first += blocks) {
    Words words;
    for (Index side = 0; side < blocks; ++side) {
      const PhiloxCounter c = counter(std::min(first + side, count - 1));
      for (int word = 0; word < 4; ++word)
        for (Index i = 0; i < width; ++i)
          words[word][side * width + i] = c[word] + (word == counts ? static_cast<std::uint32_t>(i) : 0);
    }
    philox(words, site.key);
    for (Index side = 0; side < std::min(blocks, count - first); ++side)
      use(first + side, [&words, side, threshold = site.threshold](Index lane, std::uint8_t* mask, Index length) {
        const std::uint32_t* const word = words[lane / 2].data() + side * width;
        const int shift = lane % 2 * 16;
        if (length >= width)
#pragma omp simd
          for (Index i = 0; i < width; ++i) mask[i] = ((word[i] >> shift) & 0xFFFFu) >= threshold;
        else
          for (Index i = 0; i < length; ++i) mask[i] = ((word[i] >> shift) & 0xFFFFu) >= threshold;
      });
  }
}

}  // namespace

void dropout_mask(std::span<std::uint8_t> mask, Index cols, const DropoutSite& site, const RowLayout& layout) {
  const Index first_row = layout.sequences.empty() ? layout.rows : layout.sequences.front().offset;
  std::fill_n(mask.data(), first_row * cols, std::uint8_t{0});
  const Index chunks = (cols + chunk - 1) / chunk;
  parallel_for(layout.sequence_count(), [&](Index b) {
    const RowSpan sequence = layout.sequences[b];
    const std::uint32_t id = layout.sequence_id(b);
    draw(
        sequence.length * chunks, site, 0,
        [&](Index block) {
          return PhiloxCounter{static_cast<std::uint32_t>(block % chunks * width),
                               static_cast<std::uint32_t>(layout.first_position + block / chunks), id, site.site};
        },
        [&](Index block, const auto& keep) {
          const Index left = cols - block % chunks * chunk;
          std::uint8_t* const to = mask.data() + (sequence.offset + block / chunks) * cols + block % chunks * chunk;
          for (Index lane = 0; lane < lanes && lane * width < left; ++lane)
            keep(lane, to + lane * width, left - lane * width);
        });
    const Index end = b + 1 < layout.sequence_count() ? layout.sequences[b + 1].offset : layout.rows;
    const Index used = sequence.offset + sequence.length;
    std::fill_n(mask.data() + used * cols, std::max<Index>(0, end - used) * cols, std::uint8_t{0});
  });
}

void attention_dropout_block(std::uint8_t* mask, Index head_stride, const AttentionBlock& block,
                             const DropoutSite& site, std::uint32_t sequence_id, Index position) {
  const Index parts = (block.rows + width - 1) / width;
  for (Index group = 0; group < block.heads; group += lanes)
    draw(
        block.keys * parts, site, 1,
        [&](Index i) {
          // The low 20 bits contain the key (max_positions is at most 2^20), the others the group of heads.
          const Index key = block.first_key + i / parts, row = block.first_row + i % parts * width;
          return PhiloxCounter{static_cast<std::uint32_t>(key | (group / lanes) << 20),
                               static_cast<std::uint32_t>(position + row), sequence_id, site.site};
        },
        [&](Index i, const auto& keep) {
          const Index j = i / parts, row = i % parts * width;
          for (Index h = group; h < std::min(block.heads, group + lanes); ++h)
            keep(h - group, mask + h * head_stride + j * block.rows + row, block.rows - row);
        });
}

void attention_dropout_mask(std::span<std::uint8_t> mask, Index heads, std::span<const Index> cells, Index vector,
                            const DropoutSite& site, const RowLayout& query, const RowLayout& key) {
  parallel_for(query.sequence_count(), [&](Index b) {
    if (cells[b + 1] == cells[b]) return;
    const Index keys = key.sequences[b].length, rows = (query.sequences[b].length + vector - 1) / vector * vector;
    attention_dropout_block(mask.data() + heads * cells[b], keys * rows,
                            {.heads = heads, .first_key = 0, .keys = keys, .first_row = 0, .rows = rows}, site,
                            query.sequence_id(b), query.first_position);
  });
}

}  // namespace glossa::kernels
