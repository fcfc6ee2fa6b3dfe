#include <doctest/doctest.h>

#include <string>

#include "data/pair_hashes.h"

using namespace glossa;
using Counts = std::vector<std::int64_t>;

TEST_CASE("pairs that a corpus has are counted in each part, on both sides and as often as they occur") {
  ParallelCorpus corpus, part, other, none;
  corpus.source = {"a", "b", "b", "c"};
  corpus.target = {"A", "B", "B", "C"};
  part.source = {"b", "a", "b", "ab"};
  part.target = {"B", "C", "B", ""};
  other.source = {"c", "x"};
  other.target = {"C", "X"};
  const ParallelCorpus* const parts[] = {&part, &none, &other, &corpus};
  CHECK_EQ(shared_pairs(hashes_of(corpus), parts), Counts{2, 0, 1, 4});
  CHECK_EQ(shared_pairs(hashes_of(none), parts), Counts{0, 0, 0, 0});
  CHECK(shared_pairs(hashes_of(corpus), {}).empty());
}
