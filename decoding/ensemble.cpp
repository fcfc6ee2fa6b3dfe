#include "decoding/ensemble.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <ranges>

#include "autograd/frame.h"
#include "autograd/ops.h"
#include "base/check.h"
#include "base/parallel.h"

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
  const auto positions = [](const Transformer<T>* model) { return model->options().max_positions; };
  return std::ranges::min(models_ | std::views::transform(positions));
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
  if (is_single()) return models_.front()->project(states.front());
  Context<T>& context = states.front().context();
  const Shape shape{states.front().shape().rows(), vocabulary()};
  const Tensor<T> mean = context.tensor(shape), top = context.tensor(shape);
  for (std::size_t m = 0; m < models_.size(); ++m) {
    const Frame<T> frame(context, inputs_stay);
    const Variable<T> logarithms = log_softmax(models_[m]->project(states[m]));
    const Tensor<const T> x = logarithms.value(), p = exp(logarithms).value();
    parallel_ranges(mean.size(), 4096, [&](Index begin, Index end) {
      for (Index i = begin; i < end; ++i) {
        mean[i] = m == 0 ? p[i] : mean[i] + p[i];
        top[i] = m == 0 ? x[i] : std::max(top[i], x[i]);
      }
    });
  }
  const T count = static_cast<T>(models_.size());
  parallel_ranges(mean.size(), 4096, [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i)  // if the mean underflows, only the largest term counts
      mean[i] = mean[i] > std::numeric_limits<T>::min() ? std::log(mean[i] / count) : top[i] - std::log(count);
  });
  return context.constant(mean);
}

template class Ensemble<float>;
template class Ensemble<double>;

}  // namespace glossa
