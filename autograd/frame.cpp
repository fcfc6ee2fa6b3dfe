#include "autograd/frame.h"

#include <cstring>

#include "autograd/poison.h"

namespace glossa {

template <class T>
Frame<T>::Frame(Context<T>& context, InputsStay) : Frame(context, 0) {}

template <class T>
Frame<T>::Frame(const Variable<T>& x) : Frame(x.context("frame"), x.context().replaceable_bytes(x)) {}

template <class T>
Frame<T>::Frame(Context<T>& context, std::size_t replaced_bytes)
    : context_(context),
      step_(context.live_.front().number),
      depth_(context.live_.size() - (replaced_bytes > 0 ? 1 : 0)),
      begin_(context.arena_, replaced_bytes) {
  if (acts()) context_.open_generation();
}

template <class T>
Frame<T>::~Frame() {
  if (acts()) context_.live_.resize(depth_ + (kept_ ? 1 : 0));
  if (kept_ || !acts()) begin_.advance();  // begin_ then releases nothing, and kept_ all after the kept value
}

template <class T>
Variable<T> Frame<T>::keep(const Variable<T>& y) {
  const Tensor<const T> from = y.context("frame").read(y);
  check(&y.context() == &context_, "frame", "expected a variable of the frame's context; got one of another");
  if (!acts()) return y;
  kept_.reset();  // before any allocation, because ending this mark releases everything allocated after it
  begin_.release();
  // The old memory may overlap the new memory or lie outside the frame.
  const std::size_t bytes = from.span().size_bytes();
  const bool was_inside = is_poisoned(from.data);
  const Tensor<T> to = context_.tensor(from.shape);
  unpoison(from.data, bytes);
  std::memmove(to.data, from.data, bytes);
  if (was_inside) poison(from.data, bytes);
  unpoison(to.data, bytes);
  context_.live_.resize(depth_);
  context_.open_generation(to.data);
  const Variable<T> kept = context_.constant(to);
  context_.open_generation();
  kept_.emplace(context_.arena_);
  return kept;
}

template class Frame<float>;
template class Frame<double>;

}  // namespace glossa
