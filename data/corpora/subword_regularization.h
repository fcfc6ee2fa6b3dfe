#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "data/corpora/datasets.h"
#include "data/pair_store.h"
#include "data/tokenizers/subword_sampler.h"

namespace glossa {

/// Other segmentations of the pairs of a batch. Later batches reuse the memory.
class DrawnPairs {
 public:
  std::span<const IdPair> pairs() const { return pairs_; }

 private:
  friend class SubwordRegularization;

  std::vector<std::vector<int>> source_, target_;
  std::vector<IdPair> pairs_;  // of these ids
};

/// Subword regularization of the training text by data.bpe_dropout or data.unigram_sampling; see SubwordSampler. A draw
/// is a function of the seed, the epoch and the sentence's index alone.
class SubwordRegularization {
 public:
  /// Throws a misuse error if a tokenizer's pieces are not those that the rule draws from.
  SubwordRegularization(const DataConfig& config, const Tokenizers& tokenizers, std::uint64_t seed);

  /// False without a rule.
  bool draws() const { return source_.has_value(); }

  /// Draws the segmentations of these pairs in an epoch, from 0. There must be a rule. <s>, data.source_prefix and </s>
  /// stay. A sentence that gets longer than data.max_length keeps the tokenizer's segmentation.
  void draw(const PairStore& pairs, std::span<const int> sentences, std::int64_t epoch, DrawnPairs& drawn) const;

 private:
  std::optional<SubwordSampler> source_, target_;
  std::size_t before_text_;  // ids of a source that stay as they are
  std::size_t max_length_;
  std::uint64_t seed_;
};

}  // namespace glossa
