#include "data/text/word_count.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

using namespace glossa;

TEST_CASE("words are separated by white space; in scripts without spaces each character is a word") {
  CHECK(count_words("") == 0);
  CHECK(count_words("  \t ") == 0);
  CHECK(count_words(" the dog's  tail ") == 3);
  CHECK(count_words("un chien\u00A0!") == 3);
  CHECK(count_words("लाल घर") == 2);
  CHECK(count_words("我有一只狗") == 5);
  CHECK(count_words("我有 iPhone 15") == 4);
  CHECK(count_words("犬 x") == 2);
}

TEST_CASE("a quantile is the smallest length that reaches the share, as in the sorted lengths") {
  std::mt19937 random(7);
  for (int round = 0; round < 50; ++round) {
    LineLengths lengths;
    std::vector<std::int64_t> sorted;
    const std::size_t lines = 1 + random() % 60;
    while (sorted.size() < lines) {
      const std::size_t words = random() % 9;
      std::string line;
      for (std::size_t k = 0; k < words; ++k) line += "word ";
      lengths.add(line);
      if (words > 0) sorted.push_back(static_cast<std::int64_t>(words));
    }
    std::ranges::sort(sorted);
    CHECK(lengths.lines() == std::ssize(sorted));
    CHECK(lengths.quantile(0) == sorted.front());
    CHECK(lengths.quantile(0.5) == sorted[(sorted.size() - 1) / 2]);
    CHECK(lengths.quantile(0.95) == sorted[(95 * sorted.size() + 99) / 100 - 1]);
    CHECK(lengths.quantile(1) == sorted.back());
  }
  CHECK(LineLengths().quantile(0.5) == 0);
}
