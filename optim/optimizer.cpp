#include "optim/optimizer.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "autograd/kernels/elementwise.h"
#include "base/check.h"
#include "base/parallel.h"
#include "optim/clip.h"

namespace glossa {

template <class T>
Optimizer<T>::Optimizer(const ParameterStore<T>& store, std::span<const Segment> segments,
                        std::initializer_list<std::string_view> state_names, OptimizerShare share)
    : store_(store), segments_(segments.begin(), segments.end()), share_(share) {
  check(store.laid_out(), "optimizer", "expected allocated parameters; got none. Hint: call allocate() first");
  check(share.index >= 0 && share.index < share.count, "optimizer", "expected one of {} shares; got number {}",
        share.count, share.index);
  Index free = 0;
  for (const Segment& segment : segments) {
    check(segment.begin >= free && segment.begin <= segment.end && segment.end <= std::ssize(store.values()),
          "optimizer",
          "expected ordered, disjoint segments within the store's {} numbers; got [{}, {}). Hint: use "
          "trainable_segments of the same store",
          store.values().size(), segment.begin, segment.end);
    free = segment.end;
    for (const auto& [name, number] :
         {std::pair("Segment::weight_decay", segment.weight_decay), std::pair("Segment::lr_factor", segment.lr_factor)})
      if (!(number >= 0 && std::isfinite(number)))
        misuse(name, "expected a finite number of at least 0; got {}", number);
    for (Segment piece = segment; piece.begin < segment.end; piece.begin = piece.end) {
      piece.end = std::min(segment.end, piece.begin + kernels::elementwise_grain);
      pieces_.push_back(piece);
    }
  }
  auto segment = segments_.begin();
  for (Parameter<T>* parameter : store.parameters()) {
    if (!parameter->trainable) frozen_.push_back(parameter);
    while (segment != segments_.end() && segment->end <= parameter->offset) ++segment;
    if (segment != segments_.end() && segment->begin < parameter->offset + parameter->value.size())
      trained_.push_back(parameter);
  }

  // Shares have about the same number of pieces, and no piece is split between shares.
  const std::span<const Segment> pieces = pieces_;
  const auto first_of = [&](int index) { return pieces.size() * static_cast<std::size_t>(index) / share.count; };
  bounds_.push_back(0);
  for (int index = 1; index < share.count; ++index)
    bounds_.push_back(pieces.empty() ? 0 : pieces[first_of(index)].begin);
  bounds_.push_back(std::ssize(store.values()));
  own_ = pieces.subspan(first_of(share.index), first_of(share.index + 1) - first_of(share.index));

  const auto size = static_cast<std::size_t>(end() - begin());
  const std::span<T> all = memory_.zeros<T>(static_cast<Index>(size * state_names.size()));
  for (const std::string_view name : state_names) state_.push_back({name, all.subspan(state_.size() * size, size)});
}

/// Splits the pieces of own_ at parameters without a gradient. Zeroes the missing parts of other parameters' gradients.
template <class T>
void Optimizer<T>::find_received() {
  received_.clear();
  for (Parameter<T>* parameter : trained_)
    if (parameter->has_grad()) parameter->fill_unset_grad();
  auto parameter = store_.parameters().begin();
  for (const Segment& piece : own_)
    for (Index begin = piece.begin, end = 0; begin < piece.end; begin = end) {
      while (store_.end_of(**parameter) <= begin) ++parameter;
      end = std::min(piece.end, store_.end_of(**parameter));
      if (!(*parameter)->has_grad()) continue;
      if (begin == piece.begin || received_.empty() || received_.back().end < begin) {
        received_.push_back(piece);
        received_.back().begin = begin;
      }
      received_.back().end = end;
    }
}

template <class T>
std::span<double> Optimizer<T>::squares() {
  find_received();
  squares_.assign(pieces_.size(), 0);
  double* const own = squares_.data() + (own_.data() - pieces_.data());
  parallel_for(std::ssize(own_), [&](Index i) {
    const Segment& piece = own_[static_cast<std::size_t>(i)];
    auto part = std::ranges::lower_bound(received_, piece.begin, {}, &Segment::begin);
    for (; part != received_.end() && part->end <= piece.end; ++part)
      own[i] += sum_of_squares<T>(std::span(grads() + part->begin, grads() + part->end));
  });
  return squares_;
}

template <class T>
double Optimizer<T>::norm_of(std::span<const double> squares) const {
  check(squares.size() == pieces_.size(), "optimizer", "expected the squares of {} pieces; got {}", pieces_.size(),
        squares.size());
  double total = 0;
  std::size_t i = 0;
  for (const Segment& segment : segments_) {
    double of_segment = 0;
    for (; i < pieces_.size() && pieces_[i].end <= segment.end; ++i) of_segment += squares[i];
    total += of_segment;
  }
  return total > std::numeric_limits<T>::max() ? std::numeric_limits<double>::infinity() : std::sqrt(total);
}

template <class T>
void Optimizer<T>::begin_step(double lr, double gradient_scale) {
  check(lr >= 0 && std::isfinite(lr), "optimizer", "expected a finite learning rate of at least 0; got {}", lr);
  check(std::isfinite(gradient_scale), "optimizer",
        "expected a finite gradient scale; got {}. Hint: gradients with NaN give a clip factor of NaN, and a batch "
        "without targets counts 0 tokens; skip such a step",
        gradient_scale);
  for (const Parameter<T>* parameter : frozen_)
    check(!parameter->trainable, parameter->name,
          "expected a frozen parameter, as when the optimizer was created; got a trainable one. Hint: create a new "
          "optimizer");
  for (const Parameter<T>* parameter : trained_)
    check(parameter->trainable, parameter->name,
          "expected a trainable parameter, as when the optimizer was created; got a frozen one");
  check(std::ranges::any_of(store_.parameters(), &Parameter<T>::has_grad), "optimizer",
        "expected a gradient since clear_grads(); got none. Hint: call backward before step");
  find_received();
  for (Parameter<T>* parameter : trained_)
    if (parameter->has_grad()) parameter->mark_changed();
  if (std::ranges::any_of(trained_, &Parameter<T>::has_grad)) ++steps_;
}

template class Optimizer<float>;
template class Optimizer<double>;

}  // namespace glossa
