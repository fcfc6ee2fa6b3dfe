#include "train/model/criterion.h"

namespace glossa {

void BatchRows::assign(const Batch& batch) {
  const auto copy = [](const std::vector<Span>& from, std::vector<RowSpan>& to) {
    to.clear();
    for (const Span& span : from) to.push_back({span.offset, span.length});
  };
  copy(batch.source_spans, source_spans_);
  copy(batch.target_spans, target_spans_);
  ids_.assign(batch.sentence_ids.begin(), batch.sentence_ids.end());
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

template CrossEntropy<float> batch_loss(Context<float>&, const Transformer<float>&, const Batch&, const BatchRows&, int,
                                        double);
template CrossEntropy<double> batch_loss(Context<double>&, const Transformer<double>&, const Batch&, const BatchRows&,
                                         int, double);

}  // namespace glossa
