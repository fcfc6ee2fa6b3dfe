#pragma once

#include <array>
#include <initializer_list>
#include <optional>
#include <span>
#include <vector>

#include "python/binding/arguments.h"
#include "python/binding/value.h"

namespace glossa::python {

/// Returns the precision in which an op with these operands computes. It is the precision of the first Variable,
/// Parameter or array of float32 or float64; if there is no such operand, float64. Arrays without axes, such as NumPy
/// scalars, only count if there are no other arrays.
Precision common_precision(std::span<const Operand> operands);

/// Returns the operand as a variable of the step. Arrays are copied: later changes of the array have no effect.
/// Integers and Python's numbers take the precision T. Throws an Error at `where` for numbers of the other precision.
template <class T>
Variable<T> as_variable(const char* where, Step& step, const Operand& operand);

/// As as_variable, but an array gets a gradient (`Context::input`).
template <class T>
Variable<T> as_input(const char* where, Step& step, const Operand& operand);

/// Computes f(variables) in the calling thread's step, in the operands' common precision. `f` takes a span of
/// Variable<T> and returns a Variable<T>.
template <class F>
Value compute_all(const char* op, std::span<const Operand> operands, const F& f) {
  const std::shared_ptr<Step> step = Step::current(op);
  return with_type(common_precision(operands), [&](auto type) {
    using T = decltype(type);
    std::vector<Variable<T>> variables;
    for (const Operand& operand : operands) variables.push_back(as_variable<T>(op, *step, operand));
    const ComputingInStep computing(*step, StoreUse::Kind::read_values);
    return Value(step, f(std::span<const Variable<T>>(variables)));
  });
}

/// Computes f(variables...), with one argument per operand.
template <class F, class... Operands>
Value compute(const char* op, const F& f, const Operands&... operands) {
  const std::array<Operand, sizeof...(operands)> all{operands...};
  return compute_all(op, all, [&](auto variables) {
    return [&]<std::size_t... I>(std::index_sequence<I...>) { return f(variables[I]...); }
    (std::index_sequence_for<Operands...>());
  });
}

/// Returns the operands that are not empty.
inline std::vector<Operand> present(std::initializer_list<std::optional<Operand>> operands) {
  std::vector<Operand> given;
  for (const std::optional<Operand>& operand : operands)
    if (operand) given.push_back(*operand);
  return given;
}

/// Returns the third variable; empty if it was not given.
template <class T>
std::optional<Variable<T>> third_of(std::span<const Variable<T>> variables) {
  return variables.size() > 2 ? std::optional(variables[2]) : std::nullopt;
}

}  // namespace glossa::python
