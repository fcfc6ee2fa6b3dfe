#include "decoding/top_tokens.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <numeric>
#include <thread>
#include <vector>

#include "autograd/linear_tiles.h"
#include "base/check.h"
#include "base/parallel.h"
#include "base/random.h"
#include "tests/support/restore_runtime.h"

using namespace glossa;
using glossa::testing::RestoreRuntime;

namespace {

/// Finds the top tokens of logits that come in tiles of some rows, in any order, on several threads.
void find_top(const std::vector<double>& logits, Index rows, std::span<const int> never, Index count,
              std::span<TokenScore> top, bool renormalize = false, std::uint64_t seed = 1) {
  const Index vocabulary = std::ssize(logits) / rows;
  RandomStream random(seed, "tiles");
  std::vector<double> numbers = logits;
  std::vector<kernels::Tile<double>> tiles;
  for (Index row = 0, next = 0; row < rows; row = next) {
    next = std::min(rows, row + 1 + static_cast<Index>(random.below(3)));
    for (Index col = 0; col < vocabulary; col += linear_tile_columns) {
      const Index end = std::min(vocabulary, col + linear_tile_columns);
      const kernels::Tile<double> tile{row, next, col, end, numbers.data() + row * vocabulary + col, vocabulary};
      tiles.insert(tiles.begin() + static_cast<std::ptrdiff_t>(random.below(tiles.size() + 1)), tile);
    }
  }
  const RestoreRuntime restore;
  set_threads(1 + static_cast<int>(random.below(4)));
  TopTokens<double> search;
  search.begin(rows, vocabulary, never, count, renormalize);
  std::atomic<int> begun = 0;
  parallel_for(std::ssize(tiles), [&](Index i) {
    for (++begun; threads() > 1 && tiles.size() > 1 && begun < 2;) std::this_thread::yield();  // two threads take part
    search.add(tiles[static_cast<std::size_t>(i)]);
  });
  search.finish(top);
}

/// The first column of a row's second tile.
constexpr int edge = linear_tile_columns;

}  // namespace

TEST_CASE("top tokens are those of a stable sort") {
  RandomStream random(1, "logits");
  constexpr Index rows = 5, vocabulary = 4 * edge - 24;  // four tiles
  std::vector<double> logits(rows * vocabulary);
  const int never[] = {3, 17};
  for (const auto& [count, steps] :
       {std::pair(1, 20), std::pair(7, 20), std::pair(7, 2), std::pair(int{vocabulary} - 2, 20), std::pair(7, 0)}) {
    for (double& x : logits) x = std::floor(random.normal() * steps) / 10;  // the fewer the steps, the more are equal
    logits[3] = 100;
    std::vector<TokenScore> top(static_cast<std::size_t>(rows * count));
    find_top(logits, rows, never, count, top, false, static_cast<std::uint64_t>(count));
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
  for (const std::vector<int>& never :
       {std::vector<int>{}, {0}, {9}, {3, 4}, {0, 1, 8, 9}, {3, edge - 1, edge, edge + 87}})
    for (const double favored : {-50.0, 0.0, 50.0, 700.0}) {
      std::vector<double> logits(never.empty() || never.back() < 10 ? 10 : edge + 88);
      for (double& x : logits) x = random.normal();
      for (const int token : never) logits[static_cast<std::size_t>(token)] += favored;
      std::vector<TokenScore> top(logits.size() - never.size());
      find_top(logits, 1, never, std::ssize(top), top, /*renormalize=*/true);
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
  const std::vector<double> logits(2 * 4);
  constexpr Index rows = 2;
  const int never[] = {3};
  std::vector<TokenScore> top(6);
  CHECK_NOTHROW(find_top(logits, rows, never, 3, std::span(top)));
  CHECK_THROWS_AS(find_top(logits, rows, never, 3, std::span(top).first(5)), Error);
  CHECK_THROWS_AS(find_top(logits, rows, never, 2, std::span(top)), Error);
  top.resize(8);
  CHECK_THROWS_AS(find_top(logits, rows, never, 4, std::span(top)), Error);
  CHECK_THROWS_AS(find_top(logits, rows, never, 0, std::span(top).first(0)), Error);
}

TEST_CASE("rows with NaN or infinity have no top tokens; tokens of probability 0 come last") {
  const double infinity = std::numeric_limits<double>::infinity();
  std::vector<TokenScore> top(2);
  for (const double bad : {std::nan(""), infinity})
    for (const Index place : {0, edge - 1, edge, edge + 87}) {
      std::vector<double> logits(edge + 88, 0.0);
      logits[static_cast<std::size_t>(place)] = bad;
      CHECK_THROWS_AS(find_top(logits, 1, {}, 2, top), Error);
      std::ranges::fill(logits, -infinity);
      logits[static_cast<std::size_t>(place)] = bad;
      CHECK_THROWS_AS(find_top(logits, 1, {}, 2, top), Error);
    }
  std::vector<double> logits(edge + 88, -infinity);
  logits[400] = 3;
  find_top(logits, 1, {}, 2, top);
  CHECK(top[0].token == 400);
  CHECK(top[0].log_probability == 0);
  CHECK(top[1].token == 0);
  CHECK(top[1].log_probability == -infinity);
}
