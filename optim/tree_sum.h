#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "autograd/arena.h"
#include "autograd/shape.h"

namespace glossa {

/// Terms [begin, end) of a sum of `count` terms that is added up in a fixed binary tree: the sum of one term is the
/// term, that of more is the sum of the first ones, as many as the largest power of two below their number, and the sum
/// of the rest. The order of the additions, and with it each bit, depends on `count` alone: whoever has some of the
/// terms can add up the subtrees that are his and pass them on.
template <class T>
struct PartialSum {
  std::int64_t begin = 0, end = 0;
  std::span<T> sum = {};
};

/// Puts `next` behind sums of the terms before it, and adds up what the tree over `count` terms adds: the sum of two
/// lies where the right one was.
template <class T>
void push_partial_sum(std::vector<PartialSum<T>>& sums, PartialSum<T> next, std::int64_t count);

/// The terms [begin, end) of `count` as the fewest subtrees.
std::vector<PartialSum<float>> subtrees(std::int64_t begin, std::int64_t end, std::int64_t count);

/// Adds up terms that come one after the other, each in memory of the caller's. At most ceil(log2 n) further buffers
/// are held for all of n terms, twice as many for some from the middle; the next sum uses them again.
template <class T>
class TreeSum {
 public:
  /// Of terms of so many elements.
  explicit TreeSum(Index length) : length_(length) {}

  /// Begins a sum over `count` terms, with term `first`.
  void begin(std::int64_t count, std::int64_t first = 0);

  /// Takes in the next term. Its memory holds the sum of the largest subtree that it ends, and is the caller's again.
  void add(std::span<T> term);

  /// Takes in the last term to come, whose memory is used for the sums: until the next `begin` these are what could be
  /// added up, in order; of all terms one, in the memory of the last.
  std::span<const PartialSum<T>> finish(std::span<T> term);

  /// Buffers held.
  std::size_t buffers() const { return buffers_.size(); }

 private:
  Index length_;
  Arena memory_;
  std::vector<std::span<T>> buffers_;  // the k-th is that of the k-th sum
  std::vector<PartialSum<T>> sums_;
  std::int64_t count_ = 1, next_ = 0;
};

}  // namespace glossa
