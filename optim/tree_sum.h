#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "autograd/arena.h"
#include "autograd/shape.h"

namespace glossa {

/// Terms [begin, end) of a sum of `count` terms, added in a fixed binary tree. One term is its own sum; more are split
/// after the largest power of two below their number, and the two sums are added. The order of additions, and so every
/// bit, depends on `count` alone: any holder of terms can add up its own subtrees and pass them on.
template <class T>
struct PartialSum {
  std::int64_t begin = 0, end = 0;
  std::span<T> sum = {};
};

/// Appends `next` to the sums of earlier terms and adds where the tree over `count` terms does: a sum replaces its
/// right term in memory.
template <class T>
void push_partial_sum(std::vector<PartialSum<T>>& sums, PartialSum<T> next, std::int64_t count);

/// The terms [begin, end) of `count` as the fewest subtrees.
std::vector<PartialSum<float>> subtrees(std::int64_t begin, std::int64_t end, std::int64_t count);

/// Adds up terms given one by one, each in the caller's memory. Holds at most ceil(log2 n) further buffers for all of n
/// terms, twice as many for a middle range; the next sum reuses them.
template <class T>
class TreeSum {
 public:
  /// Terms have `length` elements.
  explicit TreeSum(Index length) : length_(length) {}

  /// Begins a sum over `count` terms, with term `first`.
  void begin(std::int64_t count, std::int64_t first = 0);

  /// Adds the next term. Its memory then holds the sum of the largest subtree it ends, and is the caller's again.
  void add(std::span<T> term);

  /// Adds the last term and uses its memory for sums. Returns, in order and valid until the next `begin`, the subtree
  /// sums; for all terms a single one, in the last term's memory.
  std::span<const PartialSum<T>> finish(std::span<T> term);

  /// Buffers held.
  std::size_t buffers() const { return buffers_.size(); }

 private:
  Index length_;
  Arena memory_;
  std::vector<std::span<T>> buffers_;  // the k-th belongs to the k-th sum
  std::vector<PartialSum<T>> sums_;
  std::int64_t count_ = 1, next_ = 0;
};

}  // namespace glossa
