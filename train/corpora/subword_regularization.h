#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "data/encoded_corpus.h"
#include "data/tokenizers/subword_sampler.h"
#include "train/corpora/datasets.h"

namespace glossa {

/// Subword regularization of the training text by data.bpe_dropout or data.unigram_sampling; see SubwordSampler. A draw
/// is a function of the seed, the epoch and the sentence's index alone.
class SubwordRegularization {
 public:
  /// Throws a misuse error if a tokenizer's pieces are not those that the rule draws from.
  SubwordRegularization(const DataConfig& config, const Tokenizers& tokenizers, std::uint64_t seed);

  /// Draws the segmentations of these sentences in an epoch, from 0, and writes them to `corpus`. Without a rule,
  /// changes nothing. <s>, data.source_prefix and </s> stay. A sentence that gets longer than data.max_length keeps the
  /// tokenizer's segmentation. `sentences` must not repeat an index, because they are drawn in parallel.
  void draw(EncodedCorpus& corpus, std::span<const int> sentences, std::int64_t epoch) const;

 private:
  std::optional<SubwordSampler> source_, target_;
  std::size_t before_text_;  // ids of a source that stay as they are
  std::size_t max_length_;
  std::uint64_t seed_;
};

}  // namespace glossa
