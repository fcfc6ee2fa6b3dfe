#include "optim/tree_sum.h"

#include <doctest/doctest.h>

#include <bit>
#include <memory>

#include "base/check.h"
#include "base/parallel.h"
#include "base/random.h"
#include "tests/optim/optim_test.h"
#include "tests/support/tree.h"

using namespace glossa;
using namespace glossa::test;
using glossa::testing::sum_in_tree;

namespace {

using Terms = std::vector<std::vector<float>>;

/// Numbers of very different sizes, so that another order gives other bits.
Terms random_terms(std::size_t count, std::size_t length) {
  RandomStream random(count, "tree_sum_test");
  Terms terms(count, std::vector<float>(length));
  for (std::vector<float>& term : terms)
    for (float& x : term) x = static_cast<float>((random.uniform() - 0.5) * std::exp(10 * random.uniform()));
  return terms;
}

/// Adds them as gradients arrive: each in the memory of the previous one.
std::vector<float> added(TreeSum<float>& sum, const Terms& terms) {
  std::vector<float> memory(terms[0].size());
  sum.begin(std::ssize(terms));
  for (std::size_t i = 0; i + 1 < terms.size(); ++i) {
    std::ranges::copy(terms[i], memory.begin());
    sum.add(memory);
  }
  std::ranges::copy(terms.back(), memory.begin());
  const std::span<const PartialSum<float>> sums = sum.finish(memory);
  REQUIRE(sums.size() == 1);
  CHECK(sums[0].sum.data() == memory.data());
  return memory;
}

}  // namespace

TEST_CASE("the sum equals the tree's to the bit, in few buffers, again and again") {
  TreeSum<float> sum(40);
  std::size_t limit = 0;
  for (std::size_t n = 1; n <= 70; ++n) {
    CAPTURE(n);
    const Terms terms = random_terms(n, 40);
    CHECK(added(sum, terms) == sum_in_tree(terms));
    limit = std::max<std::size_t>(limit, std::bit_width(n - 1));  // ceil(log2 n)
    CHECK(sum.buffers() <= limit);
  }
}

TEST_CASE("any number of threads gives the same bits") {
  const Terms terms = random_terms(7, 40'001);
  const std::vector<float> expected = sum_in_tree(terms);
  const int before = threads();
  for (const int count : {1, 2, 3}) {
    set_threads(count);
    TreeSum<float> sum(40'001);
    CHECK(added(sum, terms) == expected);
  }
  set_threads(before);
}

TEST_CASE("processes that hold parts of the terms add up their subtrees to the same bits") {
  RandomStream random(1, "tree_sum_test parts");
  for (int trial = 0; trial < 400; ++trial) {
    const auto n = static_cast<std::int64_t>(1 + random.below(40));
    const auto processes = static_cast<std::int64_t>(1 + random.below(static_cast<std::uint64_t>(n) + 2));
    CAPTURE(n);
    CAPTURE(processes);
    const Terms terms = random_terms(static_cast<std::size_t>(n), 9);
    Terms own = terms;
    std::vector<std::unique_ptr<TreeSum<float>>> sums;
    std::vector<PartialSum<float>> tree;
    for (std::int64_t p = 0; p < processes; ++p) {
      const std::int64_t first = n * p / processes, last = n * (p + 1) / processes;
      if (first == last) continue;
      sums.push_back(std::make_unique<TreeSum<float>>(9));
      sums.back()->begin(n, first);
      for (std::int64_t i = first; i + 1 < last; ++i) sums.back()->add(own[i]);
      const std::span<const PartialSum<float>> parts = sums.back()->finish(own[last - 1]);
      CHECK(sums.back()->buffers() <= 2 * std::bit_width(static_cast<std::uint64_t>(last - first)));
      const std::vector<PartialSum<float>> expected = subtrees(first, last, n);
      REQUIRE(parts.size() == expected.size());
      for (std::size_t k = 0; k < parts.size(); ++k) {
        CHECK(parts[k].begin == expected[k].begin);
        CHECK(parts[k].end == expected[k].end);
        push_partial_sum(tree, parts[k], n);
      }
    }
    REQUIRE(tree.size() == 1);
    CHECK(std::ranges::equal(tree[0].sum, sum_in_tree(terms)));
  }
}

TEST_CASE("a term of another length and one too many are refused") {
  TreeSum<double> sum(3);
  std::vector<double> term(4);
  CHECK_THROWS_WITH_AS(sum.add(term), "[TreeSum] expected a term of 3 elements; got 4", Error);
  CHECK_THROWS_WITH_AS(sum.finish(term), "[TreeSum] expected a term of 3 elements; got 4", Error);
  CHECK_THROWS_WITH_AS(sum.begin(2, 2), "[TreeSum] expected the first term to be one of 2; got 2", Error);
  term.resize(3);
  sum.begin(2, 1);
  sum.finish(term);
  CHECK_THROWS_WITH_AS(sum.add(term),
                       "[TreeSum] expected 2 terms; got one more. Hint: call begin() before the next sum", Error);
}
