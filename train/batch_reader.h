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
  BatchReader(const BatchReader&) = delete;  // the thread makes batches in this object

  const PairStore& pairs() const { return *pairs_; }
  bool draws() const { return subwords_.draws(); }

  /// Reserves room for the largest batch of any of these lengths.
  void reserve(std::span<const Extents> batches);

  /// Returns the lengths of the batch of these sentences in an epoch, from 0. `known` has their lengths without drawn
  /// subwords.
  Extents extents(std::span<const int> sentences, std::int64_t epoch, const Extents& known);

  /// Returns the batch of these sentences in an epoch; it remains valid until the next call. Then starts making the
  /// batch of `next`, for a later call with those sentences and the same epoch. Throws if the pairs are damaged.
  Batch& read(std::span<const int> sentences, std::int64_t epoch, std::span<const int> next = {});

  /// Returns the seconds that `read` has waited for pairs in a file since the last call of this function.
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
  std::future<void> making_;  // makes `next_`, which nothing else uses until it is finished
};

}  // namespace glossa
