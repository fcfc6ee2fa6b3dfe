#pragma once

#include <type_traits>
#include <vector>

#include "data/batch.h"
#include "layers/transformer.h"
#include "train/config/config.h"

namespace glossa {

/// Row layouts of a batch, as the layers expect them. `assign` reuses the memory of earlier batches.
class BatchRows {
 public:
  /// With two passes, the batch has its sentences twice. In the second pass they draw dropout masks of their own.
  void assign(const Batch& batch, int passes = 1);

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

/// The loss that training minimizes: that of batch_loss or, with train.r_drop, of R-Drop. The batch then has its
/// sentences in two passes, as has `rows`.
template <class T>
CrossEntropy<T> training_loss(Context<T>& context, const Transformer<T>& model, const Batch& batch,
                              const BatchRows& rows, int pad, const TrainConfig& train);

/// The sentences of a training batch, or their pairs: with train.r_drop twice, else as they are.
template <class Item = int>
std::vector<Item> in_passes(std::span<const std::type_identity_t<Item>> items, const TrainConfig& train) {
  std::vector<Item> all;
  for (int pass = 0; pass < train.passes(); ++pass) all.insert(all.end(), items.begin(), items.end());
  return all;
}

}  // namespace glossa
