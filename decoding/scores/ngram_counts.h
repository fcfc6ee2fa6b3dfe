#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

namespace glossa {

/// An n-gram, given by its number in an NgramIndex, with its count in a text.
struct NgramCount {
  std::uint32_t ngram, count;
};

/// The distinct n-grams of a text: one list per order, from 1 on, sorted by number.
using NgramCounts = std::vector<std::vector<NgramCount>>;

/// Assigns numbers to n-grams, because numbers are fast to compare. A text is a sequence of symbols: letters or words.
/// Only counts from the same index are comparable.
class NgramIndex {
 public:
  /// Counts the n-grams of 1 to `orders` symbols in a text.
  NgramCounts count(std::span<const std::uint32_t> symbols, std::size_t orders);

 private:
  // Key: the number of the n-gram without its last symbol, then this symbol. Number 0 is the empty n-gram.
  std::unordered_map<std::uint64_t, std::uint32_t> numbers_;
};

/// Returns the total number of n-grams of one order, including repetitions.
std::uint64_t total_ngrams(std::span<const NgramCount> ngrams);

/// Returns the number of n-grams that two texts share. Each n-gram counts with the smaller of its two counts.
std::uint64_t common_ngrams(std::span<const NgramCount> a, std::span<const NgramCount> b);

/// Returns the n-grams of both texts, each with the larger of its counts.
std::vector<NgramCount> united_ngrams(std::span<const NgramCount> a, std::span<const NgramCount> b);

}  // namespace glossa
