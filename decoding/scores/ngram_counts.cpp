#include "decoding/scores/ngram_counts.h"

#include <algorithm>

namespace glossa {

NgramCounts NgramIndex::count(std::span<const std::uint32_t> symbols, std::size_t orders) {
  NgramCounts counts(orders);
  std::vector<std::uint32_t> numbers(symbols.size());  // number of the n-gram that ends at each symbol
  for (std::size_t n = 1; n <= orders && n <= symbols.size(); ++n) {
    for (std::size_t end = symbols.size(); end-- > n - 1;) {
      const std::uint32_t shorter = n == 1 ? 0 : numbers[end - 1];
      const std::uint64_t key = (std::uint64_t{shorter} << 32) + symbols[end];
      numbers[end] = numbers_.try_emplace(key, static_cast<std::uint32_t>(numbers_.size()) + 1).first->second;
    }
    std::vector<std::uint32_t> sorted(numbers.begin() + static_cast<std::ptrdiff_t>(n) - 1, numbers.end());
    std::ranges::sort(sorted);
    for (const std::uint32_t ngram : sorted) {
      if (counts[n - 1].empty() || counts[n - 1].back().ngram != ngram) counts[n - 1].push_back({ngram, 0});
      ++counts[n - 1].back().count;
    }
  }
  return counts;
}

std::uint64_t total_ngrams(std::span<const NgramCount> ngrams) {
  std::uint64_t sum = 0;
  for (const NgramCount& each : ngrams) sum += each.count;
  return sum;
}

std::uint64_t common_ngrams(std::span<const NgramCount> a, std::span<const NgramCount> b) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {  // avoids branches that are hard to predict
    const NgramCount x = a[i], y = b[j];
    sum += x.ngram == y.ngram ? std::min(x.count, y.count) : 0;
    i += x.ngram <= y.ngram ? 1 : 0;
    j += y.ngram <= x.ngram ? 1 : 0;
  }
  return sum;
}

std::vector<NgramCount> united_ngrams(std::span<const NgramCount> a, std::span<const NgramCount> b) {
  std::vector<NgramCount> all;
  std::size_t i = 0, j = 0;
  while (i < a.size() || j < b.size()) {
    if (j == b.size() || (i < a.size() && a[i].ngram < b[j].ngram)) {
      all.push_back(a[i++]);
    } else if (i == a.size() || b[j].ngram < a[i].ngram) {
      all.push_back(b[j++]);
    } else {
      all.push_back({a[i].ngram, std::max(a[i].count, b[j].count)});
      ++i, ++j;
    }
  }
  return all;
}

}  // namespace glossa
