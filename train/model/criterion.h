#pragma once

#include "config/config.h"
#include "data/batch.h"
#include "layers/transformer.h"

namespace glossa {

/// Runs a batch through the model and returns the cross-entropy of the predicted target tokens. Targets equal to `pad`
/// are ignored.
template <class T>
CrossEntropy<T> batch_loss(Context<T>& context, const Transformer<T>& model, const Batch& batch, int pad,
                           double label_smoothing);

/// Returns the loss that training minimizes: batch_loss or, with train.r_drop, R-Drop's loss. For R-Drop, the batch
/// must contain its sentences twice, once per pass.
template <class T>
CrossEntropy<T> training_loss(Context<T>& context, const Transformer<T>& model, const Batch& batch, int pad,
                              const TrainConfig& train);

}  // namespace glossa
