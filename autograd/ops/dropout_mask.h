#pragma once

#include "autograd/context.h"
#include "autograd/kernels/dropout.h"
#include "autograd/kernels/vector_math.h"

namespace glossa {

/// The elements of a matrix that dropout keeps, and their factor.
template <class T>
struct DropoutMask {
  const std::uint8_t* keep = nullptr;  // null: dropout is inactive
  T factor{1};

  explicit operator bool() const { return keep != nullptr; }

  /// Returns element i after dropout; `value` is the element before dropout. Dropout must be active.
  T operator()(Index i, T value) const { return kernels::select(keep[i] != 0, value * factor, T{0}); }

  /// Calls f(drop), where drop(i, value) returns element i after dropout; this is `value` if dropout is inactive.
  template <class F>
  void visit(const F& f) const {
    if (*this)
      f(*this);
    else
      f([](Index, T value) { return value; });
  }
};

inline void check_probability(const char* op, double p) {
  check(p >= 0 && p <= 1, op, "expected a dropout probability in [0, 1]; got {}", p);
}

/// Draws the mask of the forward pass's next site (see docs/notation.md), for `matrix` [N, D]. Returns no mask outside
/// training or if p = 0. The mask lasts for the step or, with `in_scratch`, until the op's scratch is released. Use
/// `in_scratch` for ops whose derivative does not read the mask.
template <class T>
DropoutMask<T> draw_mask(const char* op, Context<T>& c, const Shape& matrix, double p, const RowLayout& layout,
                         bool in_scratch = false) {
  check_probability(op, p);
  if (!c.training() || p == 0) return {};
  const kernels::DropoutSite site(c.random_key(), c.next_random_site(), p);
  const Index size = matrix.size();
  constexpr Index in_number = sizeof(T);  // bytes
  auto* const memory = in_scratch
                           ? reinterpret_cast<std::uint8_t*>(c.scratch({(size + in_number - 1) / in_number}).data)
                           : c.template array<std::uint8_t>(size).data();
  kernels::dropout_mask({memory, static_cast<std::size_t>(size)}, matrix.cols(), site, layout);
  return {memory, static_cast<T>(site.keep_scale())};
}

}  // namespace glossa
