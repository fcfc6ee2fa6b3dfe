#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "data/extents.h"
#include "data/pair_store.h"

namespace glossa {

/// Measure of a batch's size; SamplerOptions::max_tokens limits it. The length of a sentence is the number of rows that
/// it takes. For a source, this is the number of ids, including special tokens; for a target, it is the number of ids
/// plus 1.
enum class BatchRule {
  longest_side,  // sentences × longest length of either side: the size of the padded box
  tokens,        // source rows + target rows: the work of a packed batch
  sentences,     // number of sentences
};

struct SamplerOptions {
  std::int64_t max_tokens = 4096;
  BatchRule rule = BatchRule::longest_side;
  std::uint64_t seed = 1;
};

/// The batches of an epoch, as indices of pairs. All are in one array, so memory is 4 bytes a pair.
class Batches {
 public:
  Batches() = default;

  /// Cuts `order` after the given numbers of pairs, which add up to its size.
  Batches(const PairStore& pairs, std::vector<int> order, std::span<const int> sizes);
  Batches(const Batches&) = delete;
  Batches& operator=(const Batches&) = delete;
  Batches(Batches&&) = default;
  Batches& operator=(Batches&&) = default;

  std::size_t size() const { return list_.size(); }
  bool empty() const { return list_.empty(); }
  std::span<const int> operator[](std::size_t i) const { return list_[i]; }
  auto begin() const { return list_.begin(); }
  auto end() const { return list_.end(); }

  /// Lengths of the pairs of batch `i`.
  const Extents& extents(std::size_t i) const { return extents_[i]; }

  /// The last batch, and its removal.
  std::span<const int> back() const { return list_.back(); }
  void pop_back();

  /// Exchanges two batches.
  void exchange(std::size_t a, std::size_t b);

 private:
  std::vector<int> order_;
  std::vector<std::span<const int>> list_;  // of `order_`
  std::vector<Extents> extents_;
};

/// Cuts a corpus into batches of sentences of similar length. An epoch's batches are a pure function of the lengths,
/// the options and the epoch's number. A resumed run therefore needs only two counters to continue: the epoch and the
/// batch.
class Sampler {
 public:
  /// Keeps a reference to the pairs. Throws an Error if there are none, and a misuse error if max_tokens is below 1.
  Sampler(const PairStore& pairs, const SamplerOptions& options);

  /// The batches of an epoch: every sentence exactly once, no empty batch. Sentences are shuffled, sorted stably by
  /// (target, source) length, and cut greedily into batches. Then the batches are shuffled. Unless it `shuffles`,
  /// nothing is shuffled, so the batches are in order of length. A sentence that alone exceeds the limit is a batch of
  /// its own.
  Batches epoch(int epoch, bool shuffles) const;

  /// Counts the sentences that alone exceed the limit, each a batch of its own.
  int oversized(const Batches& batches) const;

 private:
  /// Size of a batch under construction.
  struct Load {
    std::int64_t sentences = 0, longest = 0, rows = 0;

    Load with(std::int64_t source, std::int64_t target) const {
      return {sentences + 1, std::max({longest, source, target}), rows + source + target};
    }
  };

  bool fits(const Load& load) const;

  const PairStore& pairs_;
  SamplerOptions options_;
};

}  // namespace glossa
