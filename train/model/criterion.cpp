#include "train/model/criterion.h"

namespace glossa {

template <class T>
CrossEntropy<T> batch_loss(Context<T>& context, const Transformer<T>& model, const Batch& batch, int pad,
                           double label_smoothing) {
  const Variable<T> memory = model.encode(context, batch.source, batch.source_layout());
  const Variable<T> states =
      model.decode(context, batch.target_in, batch.target_layout(), memory, batch.source_layout());
  return model.loss(states, batch.target_out, pad, label_smoothing);
}

template <class T>
CrossEntropy<T> training_loss(Context<T>& context, const Transformer<T>& model, const Batch& batch, int pad,
                              const TrainConfig& train) {
  if (train.passes() == 1) return batch_loss(context, model, batch, pad, train.label_smoothing);
  const Variable<T> memory = model.encode(context, batch.source, batch.source_layout());
  const Variable<T> states =
      model.decode(context, batch.target_in, batch.target_layout(), memory, batch.source_layout());
  const std::span<const int> next = std::span(batch.target_out).first(batch.target_out.size() / 2);
  return model.r_drop_loss(states, next, train.r_drop, pad, train.label_smoothing);
}

#define GLOSSA_INSTANTIATE(T)                                                                         \
  template CrossEntropy<T> batch_loss(Context<T>&, const Transformer<T>&, const Batch&, int, double); \
  template CrossEntropy<T> training_loss(Context<T>&, const Transformer<T>&, const Batch&, int, const TrainConfig&);
GLOSSA_INSTANTIATE(float)
GLOSSA_INSTANTIATE(double)
#undef GLOSSA_INSTANTIATE

}  // namespace glossa
