#pragma once

#include <string>

#include "layers/positional_encoding.h"

namespace glossa {

/// Input of a Transformer stack, computed from token ids: dropout(factor * table[id] + position). N ids -> [N, D]. In
/// Vaswani et al. 2017, sections 3.4 and 3.5, factor = sqrt(D). Gap rows (see RowLayout) become zero.
template <class T>
class Embedding {
 public:
  struct Options {
    double factor = 1;
    double dropout = 0;
  };

  /// The caller declares `table` [V, D] and may share it between source, target and output projection.
  Embedding(Parameter<T>& table, PositionalEncoding<T> positions, const Options& options)
      : table_(&table), positions_(std::move(positions)), options_(options) {}

  Variable<T> operator()(Context<T>& context, std::span<const int> ids, const RowLayout& layout) const {
    return embed_tokens(context.parameter(*table_), ids, options_.factor, positions_(context), options_.dropout,
                        layout);
  }

 private:
  Parameter<T>* table_;
  PositionalEncoding<T> positions_;
  Options options_;
};

}  // namespace glossa
