#include "decoding/scores/ngram_counts.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <vector>

#include "base/random.h"

using namespace glossa;

namespace {

using Symbols = std::vector<std::uint32_t>;
using Counted = std::map<Symbols, std::uint64_t>;

/// The n-grams of a text with their counts, one by one.
Counted counted(const Symbols& text, std::size_t n) {
  Counted counts;
  for (std::size_t i = 0; i + n <= text.size(); ++i)
    ++counts[Symbols(text.begin() + static_cast<std::ptrdiff_t>(i), text.begin() + static_cast<std::ptrdiff_t>(i + n))];
  return counts;
}

std::vector<std::uint64_t> sorted_counts(std::span<const NgramCount> ngrams) {
  std::vector<std::uint64_t> counts;
  for (const NgramCount& each : ngrams) counts.push_back(each.count);
  std::ranges::sort(counts);
  return counts;
}

}  // namespace

TEST_CASE("n-grams are counted, matched and united as one by one") {
  RandomStream random(4, "symbols");
  constexpr std::size_t orders = 4;
  for (int round = 0; round < 300; ++round) {
    const std::uint64_t symbols = 1 + random.below(4);
    const std::uint32_t high = random.below(2) == 0 ? 0 : 0xffff0000;  // large symbols
    NgramIndex index;
    std::vector<Symbols> texts(2);
    std::vector<NgramCounts> counts;
    for (Symbols& text : texts) {
      text.resize(random.below(12));
      for (std::uint32_t& symbol : text) symbol = high + static_cast<std::uint32_t>(random.below(symbols));
      counts.push_back(index.count(text, orders));
      REQUIRE_EQ(counts.back().size(), orders);
    }
    for (std::size_t n = 1; n <= orders; ++n) {
      const Counted a = counted(texts[0], n), b = counted(texts[1], n);
      const std::vector<NgramCount>&of_a = counts[0][n - 1], &of_b = counts[1][n - 1];
      std::vector<std::uint64_t> each;
      for (const auto& [ngram, count] : a) each.push_back(count);
      std::ranges::sort(each);
      CHECK_EQ(sorted_counts(of_a), each);
      CHECK_EQ(total_ngrams(of_a), texts[0].size() < n ? 0 : texts[0].size() + 1 - n);
      std::uint64_t common = 0;
      Counted all = a;
      for (const auto& [ngram, count] : b) {
        if (a.contains(ngram)) common += std::min(count, a.at(ngram));
        all[ngram] = std::max(all[ngram], count);
      }
      CHECK_EQ(common_ngrams(of_a, of_b), common);
      CHECK_EQ(common_ngrams(of_b, of_a), common);
      const std::vector<NgramCount> united = united_ngrams(of_a, of_b);
      std::vector<std::uint64_t> larger;
      for (const auto& [ngram, count] : all) larger.push_back(count);
      std::ranges::sort(larger);
      CHECK_EQ(sorted_counts(united), larger);
      CHECK(std::ranges::is_sorted(united, {}, &NgramCount::ngram));
      CHECK_EQ(common_ngrams(united, of_a), total_ngrams(of_a));
      CHECK_EQ(common_ngrams(united, of_b), total_ngrams(of_b));
    }
  }
}
