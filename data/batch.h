#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "data/encoded_corpus.h"

namespace glossa {

/// Rows of one sentence: [offset, offset + length).
struct Span {
  int offset = 0, length = 0;

  bool operator==(const Span&) const = default;
};

/// Layout of a batch's sentences in its rows. Packed: back to back. Padded: a [B, S] box, where S is the length of the
/// longest sentence; padding follows every shorter sentence.
enum class Layout { packed, padded };

/// A batch of B sentences as rows of tokens. In the padded layout, rows outside every span hold the pad id in `source`,
/// `target_in` and `target_out`. A loss that ignores the pad id thus skips these rows.
struct Batch {
  int sentences = 0;              // B
  std::vector<int> sentence_ids;  // [B] index of each sentence in the corpus; determines the sentence's random numbers
  std::vector<int> source;        // [source_rows]
  std::vector<int> target_in;     // [target_rows] decoder input: <s> y
  std::vector<int> target_out;    // [target_rows] expected output: y </s>
  std::vector<Span> source_spans, target_spans;  // [B]
  int source_rows = 0, target_rows = 0;
  std::int64_t source_tokens = 0, target_tokens = 0;  // numbers of rows that are not padding
  bool padded = false;

  bool operator==(const Batch&) const = default;
};

/// Makes a batch of the sentences that have these indices in `corpus`. Throws if `indices` is empty or if an index is
/// outside the corpus.
Batch make_batch(const EncodedCorpus& corpus, std::span<const int> indices, Layout layout);

/// As `make_batch`, but overwrites an existing batch. Allocates memory only if the batch has to grow.
void fill_batch(Batch& batch, const EncodedCorpus& corpus, std::span<const int> indices, Layout layout);

/// Reserves room for the largest of `batches`, so that no later `fill_batch` with one of these batches allocates
/// memory.
void reserve_batch(Batch& batch, const EncodedCorpus& corpus, std::span<const std::vector<int>> batches, Layout layout);

/// Fraction of rows that are not padding, over both sides of all `batches`; 1 for the packed layout.
double useful_share(const EncodedCorpus& corpus, std::span<const std::vector<int>> batches, Layout layout);

}  // namespace glossa
