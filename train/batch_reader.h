#pragma once

#include <cstdint>
#include <future>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "config/config.h"
#include "data/batch.h"
#include "data/corpora/subword_regularization.h"

namespace glossa {

/// Makes the batches of training: reads their pairs, draws subwords, and lays out the rows. If the pairs are in a file,
/// a thread makes the next batch while the training step runs.
class BatchReader {
 public:
  BatchReader(std::shared_ptr<const PairStore> pairs, const Config& config, const Tokenizers& tokenizers);
  BatchReader(const BatchReader&) = delete;  // the thread makes batches in this object

  const PairStore& pairs() const { return *pairs_; }
  bool draws() const { return subwords_.draws(); }

  /// Reserves memory for any batch that has one of these extents.
  void reserve(std::span<const Extents> batches);

  /// Returns the extents of the batch of these sentences in `epoch`, which counts from 0. `known` has the extents that
  /// apply unless subwords are drawn.
  Extents extents(std::span<const int> sentences, std::int64_t epoch, const Extents& known);

  /// Returns the batch of these sentences in an epoch; it remains valid until the next call. If the pairs are in a
  /// file, also starts to make the batch of `next`, the sentences of the next call. Throws if the pairs are damaged.
  Batch& read(std::span<const int> sentences, std::int64_t epoch, std::span<const int> next = {});

  /// Returns the seconds that `read` has waited for pairs in a file since the last call of this function.
  double take_waited() { return std::exchange(waited_, 0); }

 private:
  /// A batch, and the sentences and epoch that it was made from.
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
