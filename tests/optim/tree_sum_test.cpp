#include "optim/tree_sum.h"

#include <doctest/doctest.h>

#include <bit>

#include "autograd/check.h"
#include "autograd/parallel.h"
#include "autograd/random.h"
#include "tests/optim/optim_test.h"
#include "tests/support/tree.h"

using namespace glossa;
using namespace glossa::test;
using glossa::testing::sum_in_tree;

namespace {

using Terms = std::vector<std::vector<float>>;

/// Numbers of very different sizes: another order gives other bits.
Terms random_terms(std::size_t count, std::size_t length) {
  RandomStream random(count, "tree_sum_test");
  Terms terms(count, std::vector<float>(length));
  for (std::vector<float>& term : terms)
    for (float& x : term) x = static_cast<float>((random.uniform() - 0.5) * std::exp(10 * random.uniform()));
  return terms;
}

std::vector<float> added(TreeSum<float>& sum, Terms terms) {
  for (std::size_t i = 0; i + 1 < terms.size(); ++i) sum.add(terms[i]);
  sum.finish(terms.back());
  return terms.back();
}

}  // namespace

TEST_CASE("the sum is that of the tree to the bit, in few buffers, again and again") {
  TreeSum<float> sum(40);
  std::size_t most = 0;
  for (std::size_t n = 1; n <= 70; ++n) {
    CAPTURE(n);
    const Terms terms = random_terms(n, 40);
    CHECK(added(sum, terms) == sum_in_tree(terms));
    most = std::max<std::size_t>(most, std::bit_width(n - 1));  // ceil(log2 n)
    CHECK(sum.buffers() <= most);
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

TEST_CASE("a term of another length is refused") {
  TreeSum<double> sum(3);
  std::vector<double> term(4);
  CHECK_THROWS_WITH_AS(sum.add(term), "[TreeSum] expected a term of 3 elements; got 4", Error);
  CHECK_THROWS_WITH_AS(sum.finish(term), "[TreeSum] expected a term of 3 elements; got 4", Error);
}
