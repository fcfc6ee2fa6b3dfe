#include "optim/optimizer.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "autograd/check.h"
#include "optim/clip.h"

namespace glossa {

namespace {
constexpr Index grain = 16384;  // elements; some 100 microseconds of memory traffic at most
}

template <class T>
Optimizer<T>::Optimizer(const ParameterStore<T>& store, std::span<const Segment> segments,
                        std::initializer_list<std::string_view> state_names)
    : store_(store), segments_(segments.begin(), segments.end()) {
  check(store.laid_out(), "optimizer", "expected parameters that have memory; got none. Hint: call allocate() before");
  Index free = 0;
  for (const Segment& segment : segments) {
    check(segment.begin >= free && segment.begin <= segment.end && segment.end <= std::ssize(store.values()),
          "optimizer",
          "expected segments in order and apart, within the {} numbers of the store; got [{}, {}). Hint: "
          "trainable_segments of the same store",
          store.values().size(), segment.begin, segment.end);
    free = segment.end;
    if (!(segment.lr_factor >= 0)) misuse("Segment::lr_factor", "expected at least 0; got {}", segment.lr_factor);
    for (Segment piece = segment; piece.begin < segment.end; piece.begin = piece.end) {
      piece.end = std::min(segment.end, piece.begin + grain);
      pieces_.push_back(piece);
    }
  }
  for (const Parameter<T>* parameter : store.parameters())
    if (!parameter->trainable) frozen_.push_back(parameter);
  const std::size_t size = store.values().size();
  const std::span<T> all = memory_.zeros<T>(static_cast<Index>(size * state_names.size()));
  for (const std::string_view name : state_names) state_.push_back({name, all.subspan(state_.size() * size, size)});
}

template <class T>
double Optimizer<T>::grad_norm() const {
  double squares = 0;
  for (const Segment& segment : segments_)
    squares += sum_of_squares<T>(std::span(grads() + segment.begin, grads() + segment.end));
  return squares > std::numeric_limits<T>::max() ? std::numeric_limits<double>::infinity() : std::sqrt(squares);
}

template <class T>
void Optimizer<T>::begin_step(double lr, double gradient_scale) {
  check(
      lr >= 0 && std::isfinite(lr) && std::isfinite(gradient_scale), "optimizer",
      "expected a finite rate of at least 0 and a finite scale; got {} and {}. Hint: a batch without targets counts 0 "
      "tokens: leave its step out",
      lr, gradient_scale);
  for (const Parameter<T>* parameter : frozen_)
    check(!parameter->trainable, parameter->name,
          "expected to be frozen as when the optimizer was made; it is trainable. Hint: make a new optimizer");
  auto segment = segments_.begin();
  for (const Parameter<T>* parameter : store_.parameters()) {
    while (segment != segments_.end() && segment->end <= parameter->offset) ++segment;
    if (segment == segments_.end() || segment->begin > parameter->offset) continue;
    check(parameter->trainable, parameter->name, "expected to be trained as when the optimizer was made; it is frozen");
    check(store_.has_grad(*parameter), parameter->name,
          "expected a gradient; nothing has written one. Hint: call fill_unset_grads() after backward");
  }
  ++steps_;
}

template class Optimizer<float>;
template class Optimizer<double>;

}  // namespace glossa
