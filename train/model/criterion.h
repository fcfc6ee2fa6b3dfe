#pragma once

#include <vector>

#include "data/batch.h"
#include "layers/transformer.h"

namespace glossa {

/// Row layouts of a batch, as the layers expect them. `assign` reuses the memory of earlier batches.
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

/// Runs a batch through the model and returns the cross-entropy of the predicted target tokens. Ignores targets equal
/// to `pad`.
template <class T>
CrossEntropy<T> batch_loss(Context<T>& context, const Transformer<T>& model, const Batch& batch, const BatchRows& rows,
                           int pad, double label_smoothing);

}  // namespace glossa
