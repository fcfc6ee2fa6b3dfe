#include "train/model/criterion.h"

namespace glossa {

void BatchRows::assign(const Batch& batch, int passes) {
  const auto copy = [](const std::vector<Span>& from, std::vector<RowSpan>& to) {
    to.clear();
    for (const Span& span : from) to.push_back({span.offset, span.length});
  };
  copy(batch.source_spans, source_spans_);
  copy(batch.target_spans, target_spans_);
  ids_.assign(batch.sentence_ids.begin(), batch.sentence_ids.end());
  constexpr std::uint32_t second_pass = 1U << 31;
  for (std::size_t i = ids_.size() / static_cast<std::size_t>(passes); i < ids_.size(); ++i) ids_[i] |= second_pass;
  source_rows_ = batch.source_rows;
  target_rows_ = batch.target_rows;
}

template <class T>
CrossEntropy<T> batch_loss(Context<T>& context, const Transformer<T>& model, const Batch& batch, const BatchRows& rows,
                           int pad, double label_smoothing) {
  const Variable<T> memory = model.encode(context, batch.source, rows.source());
  const Variable<T> states = model.decode(context, batch.target_in, rows.target(), memory, rows.source());
  return model.loss(states, batch.target_out, pad, label_smoothing);
}

template <class T>
CrossEntropy<T> training_loss(Context<T>& context, const Transformer<T>& model, const Batch& batch,
                              const BatchRows& rows, int pad, const TrainConfig& train) {
  if (train.passes() == 1) return batch_loss(context, model, batch, rows, pad, train.label_smoothing);
  const Variable<T> memory = model.encode(context, batch.source, rows.source());
  const Variable<T> states = model.decode(context, batch.target_in, rows.target(), memory, rows.source());
  const std::span<const int> next = std::span(batch.target_out).first(batch.target_out.size() / 2);
  return model.r_drop_loss(states, next, train.r_drop, pad, train.label_smoothing);
}

#define GLOSSA_INSTANTIATE(T)                                                                                     \
  template CrossEntropy<T> batch_loss(Context<T>&, const Transformer<T>&, const Batch&, const BatchRows&, int,    \
                                      double);                                                                    \
  template CrossEntropy<T> training_loss(Context<T>&, const Transformer<T>&, const Batch&, const BatchRows&, int, \
                                         const TrainConfig&);
GLOSSA_INSTANTIATE(float)
GLOSSA_INSTANTIATE(double)
#undef GLOSSA_INSTANTIATE

}  // namespace glossa
