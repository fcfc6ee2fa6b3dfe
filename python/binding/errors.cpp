#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include "files/error.h"
#include "python/binding/bindings.h"

namespace glossa::python {

namespace {

/// Raises an Error of C++ as glossa.Error or glossa.Misuse, with its parts.
void raise(const std::exception_ptr& thrown, void*) {
  try {
    std::rethrow_exception(thrown);
  } catch (const Error& error) {
    const nb::module_ errors = nb::module_::import_("glossa.errors");
    const nb::object type = errors.attr(error.kind() == Error::Kind::misuse ? "Misuse" : "Error");
    const Error::Parts& parts = error.parts();
    const nb::object raised = type(error.what(), parts.where, parts.hint);
    PyErr_SetObject(type.ptr(), raised.ptr());
  }
}

}  // namespace

void add_errors(nb::module_&) { nb::register_exception_translator(raise); }

}  // namespace glossa::python
