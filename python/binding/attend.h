#pragma once

#include "base/check.h"
#include "python/binding/array.h"
#include "python/binding/operand.h"
#include "python/binding/rows.h"

namespace glossa::python {

/// Returns an attention mask as an operand: floats that are added to the scores, or bool, where true blocks a key.
inline Operand to_mask(const char* where, const Operand& mask) {
  if (nb::isinstance<Value>(mask.object)) return mask;
  const nb::object array = as_array(mask.object);
  const std::string kind = string_of(array.attr("dtype").attr("kind"));
  if (kind == "i" || kind == "u")
    misuse(
        where,
        "expected a mask of bool, or of floats, which are added to the scores; got an array of {}. Hint: true blocks "
        "a key, as mask == 0",
        string_of(array.attr("dtype")));
  if (kind != "b") return mask;
  return {nb::module_::import_("numpy").attr("where")(array, -std::numeric_limits<double>::infinity(), 0.0), true};
}

/// Returns attention weights as arrays [heads, Tq, Tk], one per sequence.
template <class T>
nb::list to_arrays(const Tensor<const T>& weights, const Rows& query, const Rows& key, Index heads) {
  nb::list arrays;
  const T* first = weights.data;
  for (std::size_t i = 0; i < query.sequences.size(); ++i) {
    const Shape shape{heads, query.sequences[i].length, key.sequences[i].length};
    arrays.append(to_array(Tensor<const T>(first, shape)));
    first += shape.size();
  }
  return arrays;
}

/// Casts a result whose type depends on an argument.
inline nb::any as_any(const nb::object& object) { return nb::borrow<nb::any>(object); }

/// The arguments of an attention, other than its operands.
struct AttentionCall {
  const char* op;
  Rows query, key;
  Index heads;
  const std::optional<Operand>& mask;
  bool need_weights;
};

/// Calls attend(variables, query layout, key layout, mask, weights) in the step, in precision T; mask and weights may
/// be null. Returns the result, with the weights if requested.
template <class T, class Attend>
nb::any attend_in(const std::shared_ptr<Step>& step, const AttentionCall& call, std::span<const Operand> operands,
                  const Attend& attend) {
  std::vector<Variable<T>> variables;
  for (const Operand& operand : operands) variables.push_back(as_variable<T>(call.op, *step, operand));
  Tensor<T> mask, weights;
  if (call.mask) {
    const Variable<T> added = as_variable<T>(call.op, *step, to_mask(call.op, *call.mask));
    if (added.requires_grad())
      misuse(call.op,
             "expected a mask without a gradient; got one with. Hint: attention does not train its mask; "
             "pass mask.detach()");
    const Tensor<const T> numbers = added.value();
    mask = Tensor<T>(const_cast<T*>(numbers.data), numbers.shape);  // attention only reads the mask
  }
  Context<T>& context = step->context<T>();
  const auto compute = [&] {
    const ComputingInStep computing(*step, StoreUse::Kind::read_values);
    return attend(std::span<const Variable<T>>(variables), call.query.layout_in(context), call.key.layout_in(context),
                  call.mask ? &mask : nullptr, call.need_weights ? &weights : nullptr);
  };
  const Value result(step, compute());
  if (!call.need_weights) return as_any(nb::cast(result));
  return as_any(nb::make_tuple(result, to_arrays(Tensor<const T>(weights), call.query, call.key, call.heads)));
}

/// As attend_in, in the calling thread's step and the operands' common precision.
template <class Attend>
nb::any attend(const AttentionCall& call, std::span<const Operand> operands, const Attend& attend) {
  const std::shared_ptr<Step> step = Step::current(call.op);
  return with_type(common_precision(operands),
                   [&](auto type) { return attend_in<decltype(type)>(step, call, operands, attend); });
}

}  // namespace glossa::python
