#pragma once

#include <cstdint>

#include "autograd/tensor.h"

namespace glossa {

template <class T>
class Context;

/// Handle of a value that was computed in a Context: the tensor, and where the tape recorded it (nowhere, if nothing
/// was recorded). A small value to pass around freely. Using one after its memory was given back, by the next step or
/// by a Frame, is an Error.
template <class T>
class Variable {
 public:
  Variable() = default;

  /// The numbers, to be read until the next step, or until the Frame around it ends: from now on their memory is given
  /// to nothing else. Throws if it was already (see `retain_grad`).
  Tensor<const T> value() const;
  const Shape& shape() const { return value_.shape; }
  Index size() const { return value_.size(); }

  /// Where it was computed. Throws `[op]` for a variable of a finished step, and for one that was never assigned.
  Context<T>& context(const char* op = "variable") const;

  /// Whether a gradient flows to this variable.
  bool requires_grad() const { return node_ >= 0; }

  /// d root / d this, after backward; kept for leaves and where `retain_grad` was called before, together with the
  /// value. Zeros where the root does not depend on it. Throws if the gradient was not kept or backward has not run.
  Tensor<T> grad() const;
  void retain_grad() const;

 private:
  friend class Context<T>;
  template <class>
  friend class Tape;
  Variable(Context<T>* context, const Tensor<const T>& value, int node, std::uint32_t generation)
      : value_(value), context_(context), node_(node), generation_(generation) {}

  void check_value() const;

  Tensor<const T> value_;
  Context<T>* context_ = nullptr;
  int node_ = -1;  // on the context's tape; -1: a constant
  std::uint32_t generation_ = 0;
};

}  // namespace glossa
