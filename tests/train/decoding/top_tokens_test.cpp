#include "train/decoding/top_tokens.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "autograd/check.h"
#include "autograd/random.h"

using namespace glossa;

TEST_CASE("top tokens are those of a stable sort") {
  RandomStream random(1, "logits");
  constexpr Index rows = 5, vocabulary = 1000;
  std::vector<double> logits(rows * vocabulary);
  const int never[] = {3, 17};
  for (const auto& [count, steps] : {std::pair(1, 20), std::pair(7, 20), std::pair(7, 2), std::pair(998, 20)}) {
    for (double& x : logits) x = std::floor(random.normal() * steps) / 10;  // the fewer the steps, the more are equal
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

TEST_CASE("forbidden tokens have no share of renormalized probabilities, however likely they are") {
  RandomStream random(2, "logits");
  for (const std::vector<int>& never : {std::vector<int>{}, {0}, {9}, {3, 4}, {0, 1, 8, 9}})
    for (const double favored : {-50.0, 0.0, 50.0, 700.0}) {
      std::vector<double> logits(10);
      for (double& x : logits) x = random.normal();
      for (const int token : never) logits[static_cast<std::size_t>(token)] += favored;
      std::vector<TokenScore> top(10 - never.size());
      top_tokens<double>({logits.data(), {1, 10}}, never, std::ssize(top), top, /*renormalize=*/true);
      double sum = 0, all = 0;
      for (std::size_t j = 0; j < logits.size(); ++j)
        if (std::ranges::find(never, static_cast<int>(j)) == never.end()) sum += std::exp(logits[j]);
      for (const TokenScore& score : top) {
        CHECK(score.log_probability ==
              doctest::Approx(logits[static_cast<std::size_t>(score.token)] - std::log(sum)).epsilon(1e-12));
        all += std::exp(score.log_probability);
      }
      CHECK(all == doctest::Approx(1).epsilon(1e-12));
    }
}

TEST_CASE("top tokens need room for each row's, and enough tokens that are not forbidden") {
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
