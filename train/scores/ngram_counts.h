#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

namespace glossa {

/// An n-gram, as its number in an NgramIndex, and how often a text contains it.
struct NgramCount {
  std::uint32_t ngram, count;
};

/// The n-grams of a text: for each order, from 1 on, the different ones, sorted by number.
using NgramCounts = std::vector<std::vector<NgramCount>>;

/// Numbers the n-grams of texts, so that texts are compared by numbers. A text is a sequence of symbols: letters or
/// words. Only counts of one index are comparable.
class NgramIndex {
 public:
  /// Counts the n-grams of 1 to `orders` symbols in a text.
  NgramCounts count(std::span<const std::uint32_t> symbols, std::size_t orders);

 private:
  // Key: the number of the n-gram without its last symbol, then this symbol. Number 0 is the n-gram without symbols.
  std::unordered_map<std::uint64_t, std::uint32_t> numbers_;
};

/// Returns the number of n-grams of one order, each as often as the text contains it.
std::uint64_t total_ngrams(std::span<const NgramCount> ngrams);

/// Returns the number of n-grams that two texts share, each as often as both contain it.
std::uint64_t common_ngrams(std::span<const NgramCount> a, std::span<const NgramCount> b);

/// Returns the n-grams of both texts, each with the larger of its counts.
std::vector<NgramCount> united_ngrams(std::span<const NgramCount> a, std::span<const NgramCount> b);

}  // namespace glossa
