#include "autograd/kernels/dropout.h"

#include <algorithm>
#include <array>

#include "autograd/parallel.h"

namespace glossa::kernels {

namespace {

constexpr Index width = 16;  // counters computed side by side
constexpr Index lanes = 8;   // 16-bit numbers of a counter
constexpr Index chunk = width * lanes;

using Words = std::array<std::array<std::uint32_t, width>, 4>;

std::array<std::uint32_t, width> all(std::uint32_t value) {
  std::array<std::uint32_t, width> word;
  word.fill(value);
  return word;
}

std::array<std::uint32_t, width> from(std::uint32_t first) {
  std::array<std::uint32_t, width> word;
  for (Index i = 0; i < width; ++i) word[i] = first + static_cast<std::uint32_t>(i);
  return word;
}

/// Philox for sixteen counters, word by word so that it vectorises.
Words philox_block(Words c, PhiloxKey key) {
  for (int round = 0; round < 10; ++round) {
#pragma omp simd
    for (Index i = 0; i < width; ++i) {
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
  return c;
}

/// Number `lane` of each of the sixteen counters, compared with the threshold.
void keep_lane(std::uint8_t* mask, Index count, const Words& words, Index lane, std::uint32_t threshold) {
  const auto& word = words[lane / 2];
  const int shift = lane % 2 * 16;
  if (count == width)
    for (Index i = 0; i < width; ++i) mask[i] = ((word[i] >> shift) & 0xFFFFu) >= threshold;
  else
    for (Index i = 0; i < count; ++i) mask[i] = ((word[i] >> shift) & 0xFFFFu) >= threshold;
}

}  // namespace

void dropout_mask(std::span<std::uint8_t> mask, Index cols, const DropoutSite& site, const RowLayout& layout) {
  const Index first_row = layout.sentences.empty() ? layout.rows : layout.sentences.front().offset;
  std::fill_n(mask.data(), first_row * cols, std::uint8_t{0});
  parallel_for(layout.sentence_count(), [&](Index b) {
    const RowSpan sentence = layout.sentences[b];
    for (Index t = 0; t < sentence.length; ++t) {
      std::uint8_t* row = mask.data() + (sentence.offset + t) * cols;
      for (Index j = 0; j < cols; j += chunk) {
        const Words words = philox_block(
            {from(static_cast<std::uint32_t>(j / chunk * width)),
             all(static_cast<std::uint32_t>(layout.first_position + t)), all(layout.sentence_id(b)), all(site.site)},
            site.key);
        for (Index lane = 0; lane < lanes && j + lane * width < cols; ++lane)
          keep_lane(row + j + lane * width, std::min(width, cols - j - lane * width), words, lane, site.threshold);
      }
    }
    const Index end = b + 1 < layout.sentence_count() ? layout.sentences[b + 1].offset : layout.rows;
    const Index used = sentence.offset + sentence.length;
    std::fill_n(mask.data() + used * cols, std::max<Index>(0, end - used) * cols, std::uint8_t{0});
  });
}

void attention_dropout_mask(std::span<std::uint8_t> mask, Index heads, std::span<const Index> cells, Index vector,
                            const DropoutSite& site, const RowLayout& query, const RowLayout& key) {
  parallel_for(query.sentence_count(), [&](Index b) {
    const Index keys = key.sentences[b].length, rows = (query.sentences[b].length + vector - 1) / vector * vector;
    std::uint8_t* const sentence = mask.data() + heads * cells[b];
    for (Index group = 0; group < heads; group += lanes)
      for (Index j = 0; j < keys; ++j)
        for (Index i = 0; i < rows; i += width) {
          // Keys have the low 20 bits (max_positions is at most 2^20), groups of heads the others.
          const auto first = static_cast<std::uint32_t>(j | (group / lanes) << 20);
          const Words words = philox_block({all(first), from(static_cast<std::uint32_t>(query.first_position + i)),
                                            all(query.sentence_id(b)), all(site.site)},
                                           site.key);
          for (Index h = group; h < std::min(heads, group + lanes); ++h)
            keep_lane(sentence + (h * keys + j) * rows + i, std::min(width, rows - i), words, h - group,
                      site.threshold);
        }
  });
}

}  // namespace glossa::kernels
