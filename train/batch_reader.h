#pragma once

#include <cstdint>
#include <future>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "data/batch.h"
#include "data/corpora/subword_regularization.h"
#include "train/config/config.h"

namespace glossa {

/// Makes the batches of training: reads their pairs, draws subwords, and lays out the rows. If the pairs are in a file,
/// a thread makes the next batch while the step computes.
class BatchReader {
 public:
  BatchReader(std::shared_ptr<const PairStore> pairs, const Config& config, const Tokenizers& tokenizers);
  BatchReader(const BatchReader&) = delete;  // batches are made in this object

  const PairStore& pairs() const { return *pairs_; }
  bool draws() const { return subwords_.draws(); }

  /// Reserves room for the largest of batches with these lengths.
  void reserve(std::span<const Extents> batches);

  /// Lengths of the batch of these sentences in an epoch, from 0; `known` has those of the tokenizer's segmentations.
  Extents extents(std::span<const int> sentences, std::int64_t epoch, const Extents& known);

  /// Returns the batch of these sentences in an epoch, which stays until the next call. Begins to make the batch of
  /// `next`, for a call with these sentences and the same epoch. Throws if the pairs are damaged.
  Batch& read(std::span<const int> sentences, std::int64_t epoch, std::span<const int> next = {});

  /// Seconds that `read` waited for pairs in a file since the last call of this function.
  double take_waited() { return std::exchange(waited_, 0); }

 private:
  /// A batch, and its sentences once they are known.
  struct Slot {
    std::vector<int> sentences;
    std::int64_t epoch = -1;
    Batch batch = {};
    DrawnPairs drawn = {};
  };

  void make(Slot& slot) const;

  std::shared_ptr<const PairStore> pairs_;
  int passes_;
  SubwordRegularization subwords_;
  Slot current_, next_;
  double waited_ = 0;
  std::future<void> making_;  // `next_`, which nothing else uses meanwhile; valid until that batch is taken
};

}  // namespace glossa
