#pragma once

#include <memory>
#include <variant>

#include "python/binding/step.h"

namespace glossa::python {

/// Python's `glossa.Variable`: a variable of either precision, with its step.
class Value {
 public:
  template <class T>
  Value(std::shared_ptr<Step> step, const Variable<T>& variable) : step_(std::move(step)), variable_(variable) {}

  Precision precision() const { return variable_.index() == 0 ? Precision::float32 : Precision::float64; }
  const Shape& shape() const {
    return std::visit([](const auto& variable) -> const Shape& { return variable.shape(); }, variable_);
  }

  const std::shared_ptr<Step>& owner() const { return step_; }

  /// Returns the step. Throws an Error at `where` unless it is the calling thread's.
  const std::shared_ptr<Step>& step(const char* where) const;

  /// Returns the variable in precision T. Throws an Error at `where` if the variable has the other precision, or if its
  /// step has ended.
  template <class T>
  const Variable<T>& get(const char* where) const {
    step(where);
    check_precision(precision_of<T>, where);
    return std::get<Variable<T>>(variable_);
  }

  /// Calls f with the Variable<float> or Variable<double>.
  template <class F>
  decltype(auto) visit(const char* where, const F& f) const {
    step(where);
    return std::visit(f, variable_);
  }

 private:
  void check_precision(Precision expected, const char* where) const;

  std::shared_ptr<Step> step_;
  std::variant<Variable<float>, Variable<double>> variable_;
};

/// Throws the error about operands of two precisions.
[[noreturn]] void refuse_precision(const char* where, Precision expected, const char* got);

}  // namespace glossa::python
