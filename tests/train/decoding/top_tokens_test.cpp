#include "train/decoding/top_tokens.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "autograd/check.h"
#include "autograd/random.h"

using namespace glossa;

TEST_CASE("top tokens are those of a sort, the first of equal ones") {
  RandomStream random(1, "logits");
  constexpr Index rows = 5, vocabulary = 1000;
  std::vector<double> logits(rows * vocabulary);
  const int never[] = {3, 17};
  for (const auto& [count, steps] : {std::pair(1, 20), std::pair(7, 20), std::pair(7, 2), std::pair(998, 20)}) {
    for (double& x : logits) x = std::floor(random.normal() * steps) / 10;  // many are equal, the fewer the steps
    logits[3] = 100;
    std::vector<TokenScore> top(static_cast<std::size_t>(rows * count));
    top_tokens<double>({logits.data(), {rows, vocabulary}}, never, count, top);
    for (Index r = 0; r < rows; ++r) {
      const double* row = logits.data() + r * vocabulary;
      std::vector<int> order(vocabulary);
      std::iota(order.begin(), order.end(), 0);
      std::erase_if(order, [&](int token) { return token == 3 || token == 17; });
      std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return row[a] > row[b]; });
      double sum = 0;
      for (Index j = 0; j < vocabulary; ++j) sum += std::exp(row[j]);
      for (Index i = 0; i < count; ++i) {
        CHECK(top[r * count + i].token == order[i]);
        CHECK(top[r * count + i].log_probability == doctest::Approx(row[order[i]] - std::log(sum)).epsilon(1e-12));
      }
    }
  }
}

TEST_CASE("top tokens need room for as many of each row, and as many tokens that may come") {
  std::vector<double> logits(2 * 4);
  const Tensor<const double> rows{logits.data(), {2, 4}};
  const int never[] = {3};
  std::vector<TokenScore> top(6);
  CHECK_NOTHROW(top_tokens(rows, never, 3, std::span(top)));
  CHECK_THROWS_AS(top_tokens(rows, never, 3, std::span(top).first(5)), Error);
  CHECK_THROWS_AS(top_tokens(rows, never, 2, std::span(top)), Error);
  top.resize(8);
  CHECK_THROWS_AS(top_tokens(rows, never, 4, std::span(top)), Error);
  CHECK_THROWS_AS(top_tokens(rows, never, 0, std::span(top).first(0)), Error);
}
