#include "train/decoding/ensemble.h"

#include <algorithm>

#include "autograd/check.h"
#include "autograd/operators.h"
#include "autograd/ops.h"

namespace glossa {

template <class T>
void Ensemble<T>::add(const Transformer<T>& model) {
  if (model.options().target_vocabulary != vocabulary())
    misuse("ensemble", "expected models of one vocabulary, of {} tokens; got one of {}", vocabulary(),
           model.options().target_vocabulary);
  models_.push_back(&model);
}

template <class T>
Index Ensemble<T>::max_positions() const {
  Index positions = models_.front()->options().max_positions;
  for (const Transformer<T>* model : models_) positions = std::min(positions, model->options().max_positions);
  return positions;
}

template <class T>
void Ensemble<T>::start(Context<T>& context, Caches& caches, std::span<const int> source, const RowLayout& layout,
                        Index rows, Index capacity) const {
  caches.of_models.resize(models_.size());
  for (std::size_t m = 0; m < models_.size(); ++m)
    models_[m]->start(caches.of_models[m], models_[m]->encode(context, source, layout), layout, rows, capacity);
}

template <class T>
auto Ensemble<T>::advance(Context<T>& context, std::span<const int> tokens, Caches& caches) const -> const States& {
  caches.states.clear();
  for (std::size_t m = 0; m < models_.size(); ++m)
    caches.states.push_back(models_[m]->advance(context, tokens, caches.of_models[m]));
  return caches.states;
}

template <class T>
auto Ensemble<T>::states(Context<T>& context, std::span<const int> source, const RowLayout& source_layout,
                         std::span<const int> target, const RowLayout& target_layout) const -> States {
  States states;
  for (const Transformer<T>* model : models_)
    states.push_back(
        model->decode(context, target, target_layout, model->encode(context, source, source_layout), source_layout));
  return states;
}

template <class T>
Variable<T> Ensemble<T>::project(const States& states) const {
  Variable<T> first = models_.front()->project(states.front());
  if (is_single()) return first;
  Variable<T> sum = softmax(first);
  for (std::size_t m = 1; m < models_.size(); ++m) sum = sum + softmax(models_[m]->project(states[m]));
  return log(sum / static_cast<double>(models_.size()));
}

template class Ensemble<float>;
template class Ensemble<double>;

}  // namespace glossa
