#pragma once

#include <functional>

#include "autograd/cases/attention_reference.h"
#include "autograd/rows.h"
#include "autograd/tensor.h"

namespace glossa {

/// ALiBi's slopes for `heads` heads, computed as in the code of Press et al. 2022.
std::vector<double> alibi_slopes(Index heads);

/// A call of attention in double. The heads are side by side in the columns of q, k, v and dy. If key_heads is not 0,
/// head h of q attends to head h / (heads / key_heads) of k and v.
struct AttentionByHead {
  /// Returns the element of a matrix (`mask` or `dropout`) for one sequence, head, query and key. Queries and keys are
  /// numbered from the start of their sequence.
  using Cell = std::function<double(Index sequence, Index head, Index query, Index key)>;
  struct Result {
    std::vector<double> y, dq, dk, dv;
    std::vector<double> weights;  // [heads, Tq, Tk] for each sequence in turn
  };

  RowLayout query, key;
  Index heads, key_heads = 0;
  double scale;
  Tensor<const double> q, k, v, dy;
  Cell mask;                                                      // M of AttentionReference
  Cell dropout = [](Index, Index, Index, Index) { return 1.0; };  // D of AttentionReference

  /// Runs the reference for each sequence and head. Elements that are not finite count as zeros; only blocked keys and
  /// their values may have such elements.
  Result compute() const;
};

}  // namespace glossa
