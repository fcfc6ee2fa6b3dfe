#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/large_vector.h"
#include "data/pair_store.h"

namespace glossa {

/// Layout of a batch's sentences in its rows. Packed: back to back. Padded: a [B, S] box, where S is the length of the
/// longest sentence; padding follows every shorter sentence.
enum class Layout { packed, padded };

/// Lengths of a side's sentences.
struct Extent {
  int longest = 0;
  std::int64_t tokens = 0;

  bool operator==(const Extent&) const = default;
  void add(int length, std::int64_t count = 1) {
    longest = std::max(longest, length);
    tokens += count * length;
  }

  /// Rows that the sentences take.
  std::int64_t rows(std::int64_t sentences, Layout layout) const {
    return layout == Layout::packed ? tokens : sentences * longest;
  }
};

/// Lengths of a batch's sentences.
struct Extents {
  std::int64_t sentences = 0;
  Extent source, target;
  std::int64_t squares = 0;  // sum of the squared lengths: the query-key pairs of self-attention

  bool operator==(const Extents&) const = default;
  void add(std::int64_t source_length, std::int64_t target_length, std::int64_t count = 1) {
    sentences += count;
    source.add(static_cast<int>(source_length), count);
    target.add(static_cast<int>(target_length), count);
    squares += count * (source_length * source_length + target_length * target_length);
  }
  void add(const IdPair& pair) { add(pair.source_length(), pair.target_length()); }

  /// Rows of both sides.
  std::int64_t rows(Layout layout) const { return source.rows(sentences, layout) + target.rows(sentences, layout); }
};

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
  std::vector<std::int64_t> weights = {};  // uses of each pair in an epoch, by its group of corpora; empty: 1
};

/// The batches of an epoch, as indices of pairs. All are in one array: 4 bytes a pair (with weights, for each of its
/// uses).
class Batches {
 public:
  Batches() = default;

  /// Cuts `order` into batches of these lengths, whose sentences add up to its size.
  Batches(LargeVector<int> order, std::span<const Extents> lengths);
  Batches(const Batches&) = delete;
  Batches& operator=(const Batches&) = delete;
  Batches(Batches&&) = default;
  Batches& operator=(Batches&&) = default;

  std::size_t size() const { return list_.size(); }
  bool empty() const { return list_.empty(); }
  std::span<const int> operator[](std::size_t i) const { return list_[i]; }
  auto begin() const { return list_.begin(); }
  auto end() const { return list_.end(); }

  /// The last batch, and its removal.
  std::span<const int> back() const { return list_.back(); }
  void pop_back() { list_.pop_back(); }

 private:
  friend class Sampler;

  LargeVector<int> order_;
  std::vector<std::span<const int>> list_;  // of `order_`
};

/// Cuts a corpus into batches of sentences of similar length. An epoch's batches are a pure function of the lengths,
/// the options and the epoch's number. A resumed run therefore needs only two counters to continue: the epoch and the
/// batch.
class Sampler {
 public:
  /// Reads the lengths of the pairs, and keeps a reference to them. Throws an Error if there are none, and a misuse
  /// error if max_tokens or a weight is below 1, if the number of weights is not that of the groups, or if an epoch
  /// would not have fewer than 2^31 pairs.
  Sampler(const PairStore& pairs, const SamplerOptions& options);

  /// Lengths of the batches of any epoch, in order of length.
  std::span<const Extents> lengths() const { return lengths_; }

  /// Pairs with the lengths of batch `i` of `lengths`, which need not be a batch of an epoch.
  std::vector<int> example(std::size_t i) const;

  /// The batches of an epoch: every sentence as often as its group's weight, no empty batch. Sentences are shuffled,
  /// sorted stably by (target, source) length, and cut greedily into batches. Then the batches are shuffled. Unless it
  /// `shuffles`, nothing is shuffled, so the batches are in order of length. A sentence that alone exceeds the limit is
  /// a batch of its own.
  Batches epoch(int epoch, bool shuffles) const;

  /// Counts the sentences that alone exceed the limit, each a batch of its own.
  int oversized() const;

 private:
  /// Numbers by the lengths of a pair.
  class LengthTable {
   public:
    /// The number of pairs with these lengths, at first 0.
    std::uint32_t& at(int source, int target);
    std::uint32_t operator()(int source, int target) const { return rows_[target][source]; }

    /// Calls use(source, target, number) for all numbers but 0, in the order of target, then source length.
    template <class Each>
    void for_each(const Each& use);

   private:
    std::vector<std::vector<std::uint32_t>> rows_;  // of targets
  };

  /// Pairs of equal lengths.
  struct LengthClass {
    int source, target;
    std::uint32_t uses;  // in an epoch
  };

  /// One use of a pair in an epoch, and its class: so that sorting reads memory in order.
  struct PairUse {
    int pair;
    std::uint32_t length_class;
  };

  std::uint32_t class_of(int pair) const {
    return class_numbers_(pairs_.source_length(pair), pairs_.target_length(pair));
  }

  void classify();
  void cut();

  /// Number of pairs of these lengths for which a batch has room.
  std::int64_t room(const Extents& batch, int source, int target) const;

  /// Calls `use(begin, end, weight)` for the pairs of each group.
  template <class Use>
  void for_groups(const Use& use) const;

  /// The pairs of an epoch, in the order of the corpus.
  LargeVector<PairUse> uses() const;

  /// Sorts them stably by length.
  LargeVector<int> sorted(std::span<const PairUse> order) const;

  const PairStore& pairs_;
  SamplerOptions options_;
  std::vector<int> group_ends_;
  std::vector<LengthClass> classes_;  // in the order of target, then source length
  LengthTable class_numbers_;
  std::vector<Extents> lengths_;
};

}  // namespace glossa
