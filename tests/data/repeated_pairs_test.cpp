#include <doctest/doctest.h>

#include <string>

#include "base/random.h"
#include "data/pair_hashes.h"
#include "tests/support/restore_threads.h"

using namespace glossa;

TEST_CASE("items that equal an earlier one are found, whatever their hashes and the number of threads") {
  RandomStream random(1, 0);
  for (int round = 0; round < 200; ++round) {
    // Few different hashes, so that different items share one.
    std::vector<std::uint64_t> hashes;
    std::vector<std::uint64_t> items;
    for (std::size_t left = random.below(60); left > 0; --left) {
      items.push_back(random.below(12));
      hashes.push_back(mix64(items.back() % 5));
    }
    std::vector<bool> expected;
    for (std::size_t i = 0; i < items.size(); ++i)
      expected.push_back(std::find(items.begin(), items.begin() + static_cast<std::ptrdiff_t>(i), items[i]) !=
                         items.begin() + static_cast<std::ptrdiff_t>(i));
    const testing::RestoreThreads restore;
    set_threads(1 + round % 3);
    CHECK_EQ(repeats(hashes, [&](std::size_t a, std::size_t b) { return items[a] == items[b]; }), expected);
  }
}
