#pragma once

#include "data/batch.h"
#include "layers/transformer.h"
#include "train/config/config.h"

namespace glossa {

/// Runs a batch through the model and returns the cross-entropy of the predicted target tokens. Ignores targets equal
/// to `pad`.
template <class T>
CrossEntropy<T> batch_loss(Context<T>& context, const Transformer<T>& model, const Batch& batch, int pad,
                           double label_smoothing);

/// The loss that training minimizes: that of batch_loss or, with train.r_drop, of R-Drop. The batch then has its
/// sentences in two passes.
template <class T>
CrossEntropy<T> training_loss(Context<T>& context, const Transformer<T>& model, const Batch& batch, int pad,
                              const TrainConfig& train);

}  // namespace glossa
