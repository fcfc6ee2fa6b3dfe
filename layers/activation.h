#pragma once

#include <algorithm>
#include <initializer_list>
#include <iterator>
#include <string_view>

#include "autograd/ops.h"

namespace glossa {

/// Functions between the two matrices of a feed-forward layer. The last two are gated. To add a function, extend this
/// enum, activation_names and the array in `activate`.
enum class Activation { relu, gelu, gelu_tanh, silu, swiglu, geglu };

/// Names, in enum order.
inline constexpr std::initializer_list<const char*> activation_names = {"relu", "gelu",   "gelu_tanh",
                                                                        "silu", "swiglu", "geglu"};

constexpr const char* name_of(Activation activation) { return activation_names.begin()[static_cast<int>(activation)]; }

/// True if the function is gated (Shazeer 2020): it activates the first half of each row, the gate, and multiplies it
/// by the second half. The result has half the width.
constexpr bool is_gated(Activation activation) {
  return activation == Activation::swiglu || activation == Activation::geglu;
}

/// Applies an activation: x [..., H] -> [..., H] or, if gated, x [..., 2 H] -> [..., H]. Only gated activations use
/// `use`.
template <class T>
Variable<T> activate(const Variable<T>& x, Activation activation, Use use = Use::any) {
  using Function = Variable<T> (*)(const Variable<T>&, Use);
  constexpr Function functions[] = {[](const Variable<T>& v, Use) { return relu(v); },
                                    [](const Variable<T>& v, Use) { return gelu(v); },
                                    [](const Variable<T>& v, Use) { return gelu_tanh(v); },
                                    [](const Variable<T>& v, Use) { return silu(v); },
                                    swiglu,
                                    geglu};
  static_assert(std::size(functions) == activation_names.size());
  check(static_cast<std::size_t>(activation) < std::size(functions), "activation",
        "expected a known activation; got number {}", static_cast<int>(activation));
  return functions[static_cast<std::size_t>(activation)](x, use);
}

/// Returns the activation named `name`. Throws if the name is unknown.
inline Activation activation_of(std::string_view name) {
  const auto found = std::find(activation_names.begin(), activation_names.end(), name);
  check(found != activation_names.end(), "activation", "expected the name of an activation; got {}", name);
  return static_cast<Activation>(found - activation_names.begin());
}

}  // namespace glossa
