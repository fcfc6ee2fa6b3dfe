#pragma once

#include "autograd/cases/op_case.h"

namespace glossa {

/// The value of a function of one element.
inline Reference elementwise(double (*f)(double)) {
  return [f](std::span<const Tensor<double>> x) {
    std::vector<double> y;
    for (const double element : x[0].span()) y.push_back(f(element));
    return y;
  };
}

}  // namespace glossa
