#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "autograd/arena.h"
#include "autograd/shape.h"

namespace glossa {

/// The sum of n terms of one length in a fixed binary tree: that of one term is the term, that of more is the sum of
/// the first ones, as many as the largest power of two below n, and the sum of the rest. The order of the additions,
/// and with it each bit, depends on n alone: whoever has the terms can add up his subtrees and pass them on.
///
/// Terms come one after the other, each in memory of the caller's. At most ceil(log2 n) further buffers are held; the
/// next sum uses them again.
template <class T>
class TreeSum {
 public:
  /// Of terms of so many elements.
  explicit TreeSum(Index length) : length_(length) {}

  /// Takes in a term that is not the last one; its memory holds anything afterwards.
  void add(std::span<T> term);

  /// Puts the sum of all into the memory of the last term. The next sum begins.
  void finish(std::span<T> term);

  /// Buffers held.
  std::size_t buffers() const { return buffers_.size(); }

 private:
  void add_top(std::span<T> term);

  Index length_;
  Arena memory_;
  std::vector<std::span<T>> buffers_;  // subtrees that are whole, the largest first, then free ones
  std::size_t whole_ = 0;
  std::uint64_t terms_ = 0;
};

}  // namespace glossa
