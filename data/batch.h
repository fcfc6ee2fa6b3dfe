#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/row_layout.h"
#include "data/pair_store.h"
#include "data/sampler.h"

namespace glossa {

/// Bit set in the ids of sentences that a batch contains a second time (see make_batch).
inline constexpr std::uint32_t second_pass = 1U << 31;

/// A batch of B sentences as rows of tokens. In the padded layout, rows outside every span hold the pad id in `source`,
/// `target_in` and `target_out`. A loss that ignores the pad id therefore skips these rows.
struct Batch {
  int sentences = 0;                                // B
  std::vector<std::uint32_t> sentence_ids;          // [B] index in the corpus; with second_pass if repeated
  std::vector<int> source;                          // [source_rows]
  std::vector<int> target_in;                       // [target_rows] decoder input: <s> y
  std::vector<int> target_out;                      // [target_rows] expected output: y </s>
  std::vector<RowSpan> source_spans, target_spans;  // [B]
  int source_rows = 0, target_rows = 0;
  std::int64_t source_tokens = 0, target_tokens = 0;  // numbers of rows without padding
  bool padded = false;

  RowLayout source_layout() const { return {source_rows, source_spans, sentence_ids}; }
  RowLayout target_layout() const { return {target_rows, target_spans, sentence_ids}; }

  bool operator==(const Batch&) const = default;
};

/// Makes a batch of the pairs with these indices in `pairs`. With two passes, the batch contains its sentences twice;
/// the second time they have other ids, and therefore other dropout masks. Throws if `indices` is empty or if an index
/// is outside the store.
Batch make_batch(const PairStore& pairs, std::span<const int> indices, Layout layout, int passes = 1);

/// As `make_batch`, but overwrites an existing batch. Allocates memory only if the batch must grow.
void fill_batch(Batch& batch, const PairStore& pairs, std::span<const int> indices, Layout layout, int passes = 1);

/// As `fill_batch`, but with other segmentations of the pairs: `drawn[k]` replaces the ids of pair `indices[k]`. If
/// `drawn` is empty, uses the pairs unchanged.
void fill_batch(Batch& batch, const PairStore& pairs, std::span<const int> indices, std::span<const IdPair> drawn,
                Layout layout, int passes = 1);

/// Reserves memory for the largest of these batches, so that filling them with `fill_batch` allocates none.
void reserve_batch(Batch& batch, std::span<const Extents> batches, Layout layout);

/// Fraction of rows that are not padding, over both sides of all `batches`; 1 for the packed layout.
double useful_share(std::span<const Extents> batches, Layout layout);

}  // namespace glossa
