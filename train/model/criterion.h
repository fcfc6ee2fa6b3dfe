#pragma once

#include <vector>

#include "data/batch.h"
#include "layers/transformer.h"

namespace glossa {

/// Rows of a batch in the layers' form; reused from batch to batch without allocation.
class BatchRows {
 public:
  void assign(const Batch& batch);

  RowLayout source() const { return {source_rows_, source_spans_, ids_}; }
  RowLayout target() const { return {target_rows_, target_spans_, ids_}; }

 private:
  Index source_rows_ = 0, target_rows_ = 0;
  std::vector<RowSpan> source_spans_, target_spans_;
  std::vector<std::uint32_t> ids_;
};

/// Cross-entropy of the next target token for one batch: a forward pass through model and loss. Ignores padding.
template <class T>
CrossEntropy<T> batch_loss(Context<T>& context, const Transformer<T>& model, const Batch& batch, const BatchRows& rows,
                           int pad, double label_smoothing);

}  // namespace glossa
