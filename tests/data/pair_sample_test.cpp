#include <doctest/doctest.h>

#include <algorithm>
#include <set>

#include "data/pair_hashes.h"
#include "tests/data/data_test.h"

using namespace glossa;
using namespace glossa::testing;

TEST_CASE("a sample has the wanted size and order, and does not depend on the order of the corpus") {
  std::vector<std::string> source, target;
  for (int i = 0; i < 500; ++i) {
    source.push_back("s" + std::to_string(i));
    target.push_back("t" + std::to_string(i % 7));
  }
  const ParallelCorpus corpus = corpus_of(source, target);
  std::ranges::reverse(source);
  std::ranges::reverse(target);
  const ParallelCorpus reversed = corpus_of(source, target);
  const auto texts = [](const ParallelCorpus& from, const std::vector<std::size_t>& sample) {
    std::set<std::string> found;
    for (const std::size_t pair : sample) found.insert(from.source[pair]);
    return found;
  };
  std::set<std::string> smaller;
  for (const std::size_t count : {1U, 100U, 499U, 500U, 501U}) {
    const std::vector<std::size_t> sample = pair_sample(hashes_of(corpus), count);
    CHECK_EQ(sample.size(), std::min<std::size_t>(count, 500));
    CHECK(std::ranges::is_sorted(sample));
    CHECK_EQ(texts(reversed, pair_sample(hashes_of(reversed), count)), texts(corpus, sample));
    CHECK(std::ranges::includes(texts(corpus, sample), smaller));
    smaller = texts(corpus, sample);
  }
  CHECK_GT(pair_sample(hashes_of(corpus), 10).back(), 250);  // from the whole corpus
}
