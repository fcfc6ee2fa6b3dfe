#pragma once

#include <optional>

#include "autograd/context.h"

namespace glossa {

/// Tag for a Frame that must not release its inputs, because they are needed afterwards.
struct InputsStay {};
inline constexpr InputsStay inputs_stay;

/// Releases the memory of a section of a forward pass as soon as the section ends, if nothing is recorded. A stack of
/// layers then needs no more memory than a single layer.
///
///     for (const Layer& layer : layers) {
///       Frame frame(x);
///       x = frame.keep(layer(x));
///     }
///
/// Each frame releases its input `x`, which the previous frame kept. To use the inputs after the section, write:
///
///     Frame frame(context, inputs_stay);
///     const Variable y = frame.keep(f(x));
///
/// In a loop, frames of this kind would keep one value per iteration.
///
/// If the tape records, a frame does nothing, because derivatives read the memory again. Frames nest like scopes.
template <class T>
class Frame {
 public:
  /// A frame that also releases its input `x` if an earlier frame kept `x` and nothing was allocated since. Otherwise
  /// `x` stays.
  explicit Frame(const Variable<T>& x);

  /// A frame that keeps all earlier memory.
  Frame(Context<T>& context, InputsStay);

  ~Frame();
  Frame(const Frame&) = delete;
  Frame& operator=(const Frame&) = delete;

  /// Releases everything allocated since the frame began, except the value of `y`. That value is moved: use the
  /// returned variable instead of `y`. Using any other variable of the frame afterwards throws Error.
  Variable<T> keep(const Variable<T>& y);

 private:
  Frame(Context<T>& context, std::size_t replaced_bytes);

  bool acts() const { return !context_.options().recording && context_.live_.front().number == step_; }

  Context<T>& context_;
  const std::uint32_t step_;
  const std::size_t depth_;          // number of live generations outside the frame
  Arena::Mark begin_;                // position before the frame's memory
  std::optional<Arena::Mark> kept_;  // position after the most recently kept value
};

}  // namespace glossa
