#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/large_vector.h"
#include "data/pair_store.h"

namespace glossa {

/// Layout of a batch's sentences in its rows. `packed`: sentences follow each other without gaps. `padded`: each
/// sentence is padded to the length S of the longest, which gives a box [B, S].
enum class Layout { packed, padded };

/// Lengths of one side's sentences.
struct Extent {
  int longest = 0;
  std::int64_t tokens = 0;

  bool operator==(const Extent&) const = default;
  void add(int length, std::int64_t count = 1) {
    longest = std::max(longest, length);
    tokens += count * length;
  }

  /// Number of rows that the sentences occupy.
  std::int64_t rows(std::int64_t sentences, Layout layout) const {
    return layout == Layout::packed ? tokens : sentences * longest;
  }
};

/// Lengths of a batch's sentences on both sides.
struct Extents {
  std::int64_t sentences = 0;
  Extent source, target;
  std::int64_t squares = 0;  // sum of the squared lengths, the number of query-key pairs in self-attention

  bool operator==(const Extents&) const = default;
  void add(std::int64_t source_length, std::int64_t target_length, std::int64_t count = 1) {
    sentences += count;
    source.add(static_cast<int>(source_length), count);
    target.add(static_cast<int>(target_length), count);
    squares += count * (source_length * source_length + target_length * target_length);
  }
  void add(const IdPair& pair) { add(pair.source_length(), pair.target_length()); }

  /// Number of rows of both sides.
  std::int64_t rows(Layout layout) const { return source.rows(sentences, layout) + target.rows(sentences, layout); }
};

/// Measure of a batch's size; SamplerOptions::max_tokens limits it. A sentence's length is the number of its rows: for
/// a source, the number of ids including special tokens; for a target, the number of ids plus 1.
enum class BatchRule {
  longest_side,  // sentences × longest length of either side: the size of the padded box
  tokens,        // source rows + target rows: the work of a packed batch
  sentences,     // number of sentences
};

struct SamplerOptions {
  std::int64_t max_tokens = 4096;
  BatchRule rule = BatchRule::longest_side;
  std::uint64_t seed = 1;
  std::vector<std::int64_t> weights = {};  // number of uses of a pair per epoch, for each group of corpora; empty: 1
};

/// An epoch's batches, as indices of pairs in a single array. Takes 4 bytes per pair (with weights, per use of a pair).
class Batches {
 public:
  Batches() = default;

  /// Cuts `order` into batches of these lengths. Their numbers of sentences must add up to the size of `order`.
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

  /// `back` returns the last batch; `pop_back` removes it.
  std::span<const int> back() const { return list_.back(); }
  void pop_back() { list_.pop_back(); }

 private:
  friend class Sampler;

  LargeVector<int> order_;
  std::vector<std::span<const int>> list_;  // slices of `order_`
};

/// Cuts a corpus into batches of sentences of similar length. An epoch's batches are a pure function of the lengths,
/// the options and the epoch's number. A resumed run therefore needs only two counters to continue: the epoch and the
/// batch.
class Sampler {
 public:
  /// Reads the lengths of the pairs, and keeps a reference to them. Throws an Error if there are no pairs. Throws a
  /// misuse error if max_tokens or a weight is below 1, if the numbers of weights and groups differ, or if an epoch
  /// would have 2^31 pairs or more.
  Sampler(const PairStore& pairs, const SamplerOptions& options);

  /// Lengths of an epoch's batches, in order of length; the same for every epoch.
  std::span<const Extents> lengths() const { return lengths_; }

  /// Returns pairs with exactly the lengths of `lengths()[i]`. An epoch need not contain this batch.
  std::vector<int> example(std::size_t i) const;

  /// The batches of an epoch, none of them empty. Every sentence occurs as often as its group's weight. Sentences are
  /// shuffled, sorted stably by (target, source) length, and cut greedily into batches; then the batches are shuffled.
  /// If `shuffles` is false, nothing is shuffled and the batches are in order of length. A sentence that exceeds the
  /// limit is a batch by itself.
  Batches epoch(int epoch, bool shuffles) const;

  /// Counts the sentences that exceed the limit by themselves.
  int oversized() const;

 private:
  /// Table with one number for each combination of source and target length.
  class LengthTable {
   public:
    /// The number for these lengths, initially 0. Enlarges the table if necessary.
    std::uint32_t& at(int source, int target);
    std::uint32_t operator()(int source, int target) const { return rows_[target][source]; }

    /// Calls use(source, target, number) for all nonzero numbers, in order of target, then source length.
    template <class Each>
    void for_each(const Each& use);

   private:
    std::vector<std::vector<std::uint32_t>> rows_;  // rows of the table, one for each target length
  };

  /// Pairs with equal lengths.
  struct LengthClass {
    int source, target;
    std::uint32_t uses;  // number of uses in an epoch
  };

  /// One use of a pair in an epoch. Because its class is stored beside it, sorting reads memory in order.
  struct PairUse {
    int pair;
    std::uint32_t length_class;
  };

  std::uint32_t class_of(int pair) const {
    return class_numbers_(pairs_.source_length(pair), pairs_.target_length(pair));
  }

  void classify();
  void cut();

  /// Number of pairs of these lengths that still fit into a batch.
  std::int64_t room(const Extents& batch, int source, int target) const;

  /// Calls `use(begin, end, weight)` for the pairs of each group.
  template <class Use>
  void for_groups(const Use& use) const;

  /// All uses of pairs in an epoch, in the order of the corpus.
  LargeVector<PairUse> uses() const;

  /// Sorts uses stably by length.
  LargeVector<int> sorted(std::span<const PairUse> order) const;

  const PairStore& pairs_;
  SamplerOptions options_;
  std::vector<int> group_ends_;
  std::vector<LengthClass> classes_;  // classes in the order of target length, then source length
  LengthTable class_numbers_;
  std::vector<Extents> lengths_;
};

}  // namespace glossa
