#pragma once

#include <cstdint>

#include "autograd/tensor.h"

namespace glossa {

template <class T>
class Context;
template <class T>
struct Parameter;

/// Handle of a value in a Context: the tensor and, if it was recorded, its position on the tape. Copies share the
/// value. Throws Error when used after its memory was released, by the next step or by a Frame.
template <class T>
class Variable {
 public:
  Variable() = default;

  /// The variable's numbers. After this call, their memory is not reused until the next step or until the enclosing
  /// Frame ends. Throws if the memory was already reused. `backward` reuses the memory of results of 1,024 or more
  /// elements, except the root's. Some ops, such as add_dropout, also reuse an input's memory. `retain_grad` prevents
  /// both kinds of reuse.
  Tensor<const T> value() const;
  const Shape& shape() const { return value_.shape; }
  Index size() const { return value_.size(); }

  /// The context of the variable. Throws Error `[op] ...` if the variable is from a finished step or was never
  /// assigned.
  Context<T>& context(const char* op = "variable") const;

  /// True if a gradient flows here.
  bool requires_grad() const { return node_ >= 0; }

  /// The gradient d root / d this, after backward. The gradient is kept for leaves, and for variables whose
  /// `retain_grad` was called before backward; `retain_grad` also keeps the value. If the root does not depend on this
  /// variable, the gradient is zeros. For a parameter, Parameter::grad then stays unset. Throws if the gradient was not
  /// kept or backward has not run.
  Tensor<T> grad() const;
  void retain_grad() const;

 private:
  friend class Context<T>;
  template <class>
  friend class Tape;
  Variable(Context<T>* context, const Tensor<const T>& value, int node, std::uint32_t generation)
      : value_(value), context_(context), node_(node), generation_(generation) {}

  void check_value() const;
  void check_has_numbers() const;

  Tensor<const T> value_;
  Context<T>* context_ = nullptr;
  int node_ = -1;                            // position on the context's tape; -1: a constant
  const Parameter<T>* parameter_ = nullptr;  // the parameter that this constant reads; else null
  std::uint32_t generation_ = 0;
};

}  // namespace glossa
