#pragma once

#include <optional>

#include "autograd/context.h"

namespace glossa {

/// Gives back what a part of a forward pass used, as soon as it is over, where nothing is recorded: a stack of layers
/// then needs the memory of one.
///
///     Frame<T> frame(context);
///     for (const Layer& layer : layers) x = frame.keep(layer(x));
///
/// Where the tape records, derivatives read it all again, and a frame does nothing. Frames are nested, as scopes are.
template <class T>
class Frame {
 public:
  explicit Frame(Context<T>& context);
  ~Frame();
  Frame(const Frame&) = delete;
  Frame& operator=(const Frame&) = delete;

  /// Gives back everything since the frame began but `y`, which lies elsewhere from then on: use what is returned.
  /// Using another variable of the frame afterwards is an Error.
  Variable<T> keep(const Variable<T>& y);

 private:
  bool acts() const { return !context_.options().recording && context_.live_.front() == step_; }

  Context<T>& context_;
  const std::uint32_t step_;
  const std::size_t depth_;          // live generations before the frame
  Arena::Mark begin_;                // what was allocated before the frame
  std::optional<Arena::Mark> kept_;  // the same and what was kept last
};

}  // namespace glossa
