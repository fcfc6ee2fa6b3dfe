#pragma once

#include <algorithm>
#include <initializer_list>
#include <iterator>
#include <string_view>

#include "autograd/ops.h"

namespace glossa {

/// Functions between the two matrices of a feed-forward layer. To add a function, extend this enum, activation_names
/// and the array in `activate`.
enum class Activation { relu, gelu, gelu_tanh, silu };

/// Names, in enum order.
inline constexpr std::initializer_list<const char*> activation_names = {"relu", "gelu", "gelu_tanh", "silu"};

/// Applies an activation elementwise.
template <class T>
Variable<T> activate(const Variable<T>& x, Activation activation) {
  constexpr Variable<T> (*functions[])(const Variable<T>&) = {relu, gelu, gelu_tanh, silu};
  static_assert(std::size(functions) == activation_names.size());
  check(static_cast<std::size_t>(activation) < std::size(functions), "activation",
        "expected a known activation; got number {}", static_cast<int>(activation));
  return functions[static_cast<std::size_t>(activation)](x);
}

/// Returns the activation named `name`. Throws if the name is unknown.
inline Activation activation_of(std::string_view name) {
  const auto found = std::find(activation_names.begin(), activation_names.end(), name);
  check(found != activation_names.end(), "activation", "expected the name of an activation; got {}", name);
  return static_cast<Activation>(found - activation_names.begin());
}

}  // namespace glossa
