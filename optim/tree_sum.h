#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "autograd/arena.h"
#include "base/index.h"

namespace glossa {

/// Sum of the terms [begin, end) out of `count` terms, which are added in a fixed binary tree. A single term is its own
/// sum. Several terms are split after the largest power of two below their number, and the sums of both parts are
/// added. The order of additions, and therefore every bit, depends only on `count`. Any process that holds some terms
/// can therefore add up its subtrees and pass on the sums.
template <class T>
struct PartialSum {
  std::int64_t begin = 0, end = 0;
  std::span<T> sum = {};
};

/// Appends `next` to the sums of earlier terms and adds up the subtrees that `next` completes. Each sum replaces its
/// right operand in memory.
template <class T>
void push_partial_sum(std::vector<PartialSum<T>>& sums, PartialSum<T> next, std::int64_t count);

/// Divides the terms [begin, end) of `count` into the fewest subtrees.
std::vector<PartialSum<float>> subtrees(std::int64_t begin, std::int64_t end, std::int64_t count);

/// Adds up terms that are passed one by one, each in the caller's memory. A sum of all n terms needs at most ceil(log2
/// n) further buffers, a range of the terms at most twice that number. The next sum reuses the buffers.
template <class T>
class TreeSum {
 public:
  /// Terms have `length` elements.
  explicit TreeSum(Index length) : length_(length) {}

  /// Begins a sum over `count` terms, starting with term `first`.
  void begin(std::int64_t count, std::int64_t first = 0);

  /// Adds the next term. The term's memory then holds the sum of the largest subtree that the term completes. The sum
  /// is also copied, so the caller may overwrite the memory.
  void add(std::span<T> term);

  /// Adds the last term and uses its memory for sums. Returns the subtree sums in order, valid until the next `begin`.
  /// For a sum of all terms, this is a single sum in the last term's memory.
  std::span<const PartialSum<T>> finish(std::span<T> term);

  /// Number of buffers held.
  std::size_t buffers() const { return buffers_.size(); }

 private:
  Index length_;
  Arena memory_;
  std::vector<std::span<T>> buffers_;  // buffer k belongs to sum k
  std::vector<PartialSum<T>> sums_;
  std::int64_t count_ = 1, next_ = 0;
};

}  // namespace glossa
