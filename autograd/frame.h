#pragma once

#include <optional>

#include "autograd/context.h"

namespace glossa {

/// Releases the memory of a section of a forward pass as soon as it ends, if nothing is recorded: a stack of layers
/// then needs the memory of one.
///
///     Frame<T> frame(context);
///     for (const Layer& layer : layers) x = frame.keep(layer(x));
///
/// If the tape records, derivatives read it all again, and a frame does nothing. Frames nest like scopes.
template <class T>
class Frame {
 public:
  explicit Frame(Context<T>& context);
  ~Frame();
  Frame(const Frame&) = delete;
  Frame& operator=(const Frame&) = delete;

  /// Releases everything since the frame began except `y`, which moves: use the returned variable. Using another
  /// variable of the frame afterwards is an Error.
  Variable<T> keep(const Variable<T>& y);

 private:
  bool acts() const { return !context_.options().recording && context_.live_.front() == step_; }

  Context<T>& context_;
  const std::uint32_t step_;
  const std::size_t depth_;          // live generations before the frame
  Arena::Mark begin_;                // allocations before the frame
  std::optional<Arena::Mark> kept_;  // those and the value kept last
};

}  // namespace glossa
