#pragma once

#include "autograd/ops.h"

/// Arithmetic operators on variables: a + b is add(a, b), and so on; shapes broadcast by NumPy's rule. A number on
/// either side acts as a constant: 1 - x, x * 2.0.
namespace glossa {

template <class T>
Variable<T> operator-(const Variable<T>& x) {
  return neg(x);
}

template <class T>
Variable<T> operator+(const Variable<T>& a, const Variable<T>& b) {
  return add(a, b);
}
template <class T>
Variable<T> operator-(const Variable<T>& a, const Variable<T>& b) {
  return sub(a, b);
}
template <class T>
Variable<T> operator*(const Variable<T>& a, const Variable<T>& b) {
  return mul(a, b);
}
template <class T>
Variable<T> operator/(const Variable<T>& a, const Variable<T>& b) {
  return div(a, b);
}

template <class T>
Variable<T> operator+(const Variable<T>& x, double value) {
  return add(x, full(x.context(), {}, value));
}
template <class T>
Variable<T> operator-(const Variable<T>& x, double value) {
  return sub(x, full(x.context(), {}, value));
}
template <class T>
Variable<T> operator*(const Variable<T>& x, double value) {
  return scale(x, value);
}
template <class T>
Variable<T> operator/(const Variable<T>& x, double value) {
  return div(x, full(x.context(), {}, value));
}

template <class T>
Variable<T> operator+(double value, const Variable<T>& x) {
  return x + value;
}
template <class T>
Variable<T> operator-(double value, const Variable<T>& x) {
  return sub(full(x.context(), {}, value), x);
}
template <class T>
Variable<T> operator*(double value, const Variable<T>& x) {
  return x * value;
}
template <class T>
Variable<T> operator/(double value, const Variable<T>& x) {
  return div(full(x.context(), {}, value), x);
}

}  // namespace glossa
