#pragma once

#include "python/binding/operand.h"

namespace glossa::python {

/// Defines a function of `x` and, under the same name, a method of Variable and Parameter. `f` takes the operand first.
/// `extra` has the other arguments and the documentation.
template <class F, class... Extra>
void def_with_method(nb::module_& m, const char* name, const F& f, const Extra&... extra) {
  m.def(name, f, nb::arg("x"), extra...);
  nb::borrow<nb::class_<Value>>(m.attr("Variable")).def(name, f, extra...);
  nb::borrow<nb::class_<BoundParameter>>(m.attr("Parameter")).def(name, f, extra...);
}

}  // namespace glossa::python
