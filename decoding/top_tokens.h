#pragma once

#include <limits>
#include <span>
#include <vector>

#include "autograd/kernels/gemm.h"

namespace glossa {

/// A possible next token and its natural log-probability.
struct TokenScore {
  double log_probability;
  int token;
};

/// Orders tokens: the most probable first, then the smaller id.
inline bool better(const TokenScore& a, const TokenScore& b) {
  return a.log_probability > b.log_probability || (a.log_probability == b.log_probability && a.token < b.token);
}

/// The sum of e^x over logits x, stored as e^top * sum.
struct ExpTotal {
  double top = -std::numeric_limits<double>::infinity(), sum = 0;

  void add(const ExpTotal& other);
  double log() const;
};

/// Finds the most probable tokens of rows of logits. Logits arrive tile by tile, and are never all in memory. The
/// result does not depend on the order of the tiles or on threads. Memory is reused from search to search.
template <class T>
class TopTokens {
 public:
  /// Begins a search for the `count` most probable tokens of each of `rows` rows of V = `vocabulary` logits. Skips the
  /// tokens in `never`, which must be sorted and remain valid until `finish`. The skipped tokens still count in the
  /// softmax, unless `renormalize` is true. `count` is at most V - never.size().
  void begin(Index rows, Index vocabulary, std::span<const int> never, Index count, bool renormalize = false);

  /// Adds a tile of linear_tiles. Thread-safe.
  void add(const kernels::Tile<T>& tile);

  /// Adds all logits [rows, V] at once.
  void add(const Tensor<const T>& logits);

  /// Writes the tokens to top [rows, count], best first. Ties go to the smaller id. Throws if a row has no
  /// probabilities (NaN or infinity).
  void finish(std::span<TokenScore> top);

 private:
  void add_row(Index row, Index first, Index n, const T* x);

  Index rows_ = 0, pieces_ = 0, count_ = 0;
  std::span<const int> never_;
  bool renormalize_ = false;
  std::vector<ExpTotal> shares_;    // [rows, pieces]: each tile's share of the softmax's sum
  std::vector<TokenScore> best_;    // [threads, rows, count]: the best logits that each thread has seen, as heaps
  std::vector<Index> filled_;       // [threads, rows]: number of entries in each heap
  std::vector<TokenScore> merged_;  // best logits of a row, from all threads
};

/// Returns the log-sum-exp of the logits x[0..n), except those of the tokens in `left_out`, which are sorted.
double log_sum_exp_without(const float* x, Index n, std::span<const int> left_out);

/// Throws if a log-probability is NaN, which means that the model is broken.
void check_probabilities(std::span<const TokenScore> scores);

}  // namespace glossa
