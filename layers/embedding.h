#pragma once

#include <optional>
#include <string>

#include "layers/positional_encoding.h"

namespace glossa {

/// Input of a Transformer stack, computed from token ids: dropout(factor * table[id] + position). N ids -> [N, D]. In
/// Vaswani et al. 2017, sections 3.4 and 3.5, factor = sqrt(D). Gap rows (see RowLayout) become zero. With
/// RelativePositions, which need no table of positions, computes dropout(factor * table[id]).
template <class T>
class Embedding {
 public:
  struct Options {
    double factor = 1;
    double dropout = 0;
    Index max_positions = 0;  ///< maximum sequence length without a table of positions; 0: unlimited
  };

  /// The caller declares `table` [V, D] and may share it between source, target and output projection.
  Embedding(Parameter<T>& table, PositionalEncoding<T> positions, const Options& options)
      : table_(&table), positions_(std::move(positions)), options_(options) {}
  Embedding(Parameter<T>& table, const Options& options) : table_(&table), options_(options) {}

  /// Throws if a sequence is longer than the table of positions or than max_positions.
  Variable<T> operator()(Context<T>& context, std::span<const int> ids, const RowLayout& layout) const {
    const auto& [factor, dropout, max_positions] = options_;
    const Variable<T> table = context.parameter(*table_);
    if (positions_) return embed_tokens(table, ids, factor, (*positions_)(context), dropout, layout);
    if (max_positions > 0) check_positions("embedding", layout, max_positions);
    return embed_tokens(table, ids, factor, dropout, layout);
  }

 private:
  Parameter<T>* table_;
  std::optional<PositionalEncoding<T>> positions_;
  Options options_;
};

}  // namespace glossa
