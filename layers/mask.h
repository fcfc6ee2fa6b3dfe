#pragma once

#include <memory>
#include <span>
#include <vector>

#include "autograd/context.h"
#include "autograd/rows.h"

namespace glossa {

// Models take lengths, not masks. The functions below convert the masks that articles and other programs use. In a
// mask, true always means blocked, as in masked_fill and nn.Transformer.

/// Returns the sequences of a padded box [B, T] of token ids. A sequence ends where only `pad` remains. A row of only
/// padding is a sequence of length 0.
std::vector<RowSpan> spans_of_padded(std::span<const int> ids, Index sequences, int pad);

/// A mask of blocked keys: element (row, col) is true if query `row` may not attend to key `col`. Initially no key is
/// blocked. masked_fill takes a Mask directly; attention takes its additive form (see additive_mask).
class Mask {
 public:
  Mask(Index rows, Index cols)
      : rows_(rows),
        cols_(cols),
        blocked_(std::make_unique<bool[]>(static_cast<std::size_t>(Shape{rows, cols}.size()))) {}

  Index rows() const { return rows_; }
  Index cols() const { return cols_; }
  bool& operator()(Index row, Index col) { return blocked_[row * cols_ + col]; }
  bool operator()(Index row, Index col) const { return blocked_[row * cols_ + col]; }

  /// All elements in row-major order.
  operator std::span<const bool>() const { return {blocked_.get(), static_cast<std::size_t>(rows_ * cols_)}; }

 private:
  Index rows_, cols_;
  std::unique_ptr<bool[]> blocked_;
};

/// [T, T], true above the diagonal: position i may not attend to later positions.
Mask causal_mask(Index positions);

/// The additive form of a mask, for attention: 0 for false, -inf for true. The tensor is valid until the next step.
template <class T>
Tensor<T> additive_mask(Context<T>& context, const Mask& mask);

}  // namespace glossa
