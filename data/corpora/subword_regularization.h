#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "data/corpora/datasets.h"
#include "data/pair_store.h"
#include "data/tokenizers/subword_sampler.h"

namespace glossa {

/// Segmentations drawn for a batch's pairs. An object that is used for several batches reuses its memory.
class DrawnPairs {
 public:
  std::span<const IdPair> pairs() const { return pairs_; }

 private:
  friend class SubwordRegularization;

  std::vector<std::vector<int>> source_, target_;
  std::vector<IdPair> pairs_;  // views of the drawn ids
};

/// Subword regularization of the training text by data.bpe_dropout or data.unigram_sampling; see SubwordSampler. A draw
/// depends only on the seed, the epoch and the sentence's index.
class SubwordRegularization {
 public:
  /// Throws a misuse error if a tokenizer does not have the kind of pieces that the rule needs.
  SubwordRegularization(const DataConfig& config, const Tokenizers& tokenizers, std::uint64_t seed);

  /// True if the configuration sets data.bpe_dropout or data.unigram_sampling.
  bool draws() const { return source_.has_value(); }

  /// Draws the segmentations of these pairs in an epoch, counted from 0. Requires `draws()`. <s>, data.source_prefix
  /// and </s> stay unchanged. A sentence that would exceed data.max_length keeps the tokenizer's segmentation.
  void draw(const PairStore& pairs, std::span<const int> sentences, std::int64_t epoch, DrawnPairs& drawn) const;

 private:
  std::optional<SubwordSampler> source_, target_;
  std::size_t before_text_;  // number of ids at the front of a source that stay unchanged
  std::size_t max_length_;
  std::uint64_t seed_;
};

}  // namespace glossa
