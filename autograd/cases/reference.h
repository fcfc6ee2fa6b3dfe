#pragma once

#include <limits>

#include "autograd/cases/op_case.h"

namespace glossa {

inline constexpr double inf = std::numeric_limits<double>::infinity();

/// Reference for functions that return their first operand.
inline std::vector<double> same(InputNumbers x) { return {x[0].data, x[0].data + x[0].size()}; }

/// Reference for a result of `count` elements. Element i is f(x, i).
template <class F>
Reference by_element(Index count, const F& f) {
  return [=](InputNumbers x) {
    std::vector<double> y;
    for (Index i = 0; i < count; ++i) y.push_back(f(x, i));
    return y;
  };
}

/// Reference for elementwise functions.
inline Reference elementwise(double (*f)(double)) {
  return [f](InputNumbers x) {
    std::vector<double> y;
    for (const double element : x[0].span()) y.push_back(f(element));
    return y;
  };
}

}  // namespace glossa
