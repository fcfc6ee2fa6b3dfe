#pragma once

#include <span>
#include <vector>

#include "autograd/rows.h"
#include "autograd/tensor.h"

namespace glossa {

// Models take lengths, not masks. These turn what articles and other programs pass into what glossa takes. One meaning
// throughout: true = may attend.

/// The sequences of a padded box [B, T] of token ids: each ends where only `pad` follows. An all-padding row is a
/// sequence of length 0.
std::vector<RowSpan> spans_of_padded(std::span<const int> ids, Index sequences, int pad);

/// [T, T] true on and below the diagonal: position i may attend to 0..i.
std::vector<char> causal_mask(Index positions);

/// The additive form that attention takes: 0 where true, -inf where false.
template <class T>
void write_additive_mask(std::span<const char> may_attend, const Tensor<T>& to);

}  // namespace glossa
