#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include "base/error.h"
#include "python/binding/bindings.h"

namespace glossa::python {

namespace {

/// Hints that name C++ functions, with their counterparts for Python.
constexpr std::pair<std::string_view, const char*> hints[] = {
    {"call context.begin() for every step; for",
     "open a step of its own for each, `with glossa.step():`, or add the roots; backward(keep_graph=True) allows "
     "another"},
    {"leave `recording` out of begin()", "leave recording=False out of glossa.step()"},
    {"parameter() and input() make variables",
     "glossa.variable(array) and the parameters of a module have gradients; glossa.constant has none"},
    {"draw random numbers from the context", "use glossa.dropout, whose masks are the same in each call"},
    {"continue with glossa train --resume",
     "continue with glossa.train(run=..., resume=True), choose another run, or delete the "
     "folder"},
    {"create one with glossa train CONFIG.yaml", "glossa.train(config, run=...) creates one"},
};

std::string hint_in_python(const std::string& hint) {
  for (const auto& [cpp, python] : hints)
    if (hint.starts_with(cpp)) return python;
  return hint;
}

/// Raises a C++ Error as glossa.Error or glossa.Misuse, with its members.
void raise(const std::exception_ptr& thrown, void*) {
  try {
    std::rethrow_exception(thrown);
  } catch (const Error& error) {
    const nb::module_ errors = nb::module_::import_("glossa.errors");
    const nb::object type = errors.attr(error.kind() == Error::Kind::misuse ? "Misuse" : "Error");
    const std::string hint = hint_in_python(error.parts().hint);
    const Error for_python(error.kind(), error.parts().with_hint(hint));
    const nb::object raised = type(for_python.what(), error.parts().where, hint);
    PyErr_SetObject(type.ptr(), raised.ptr());
  }
}

}  // namespace

void add_errors(nb::module_&) { nb::register_exception_translator(raise); }

}  // namespace glossa::python
