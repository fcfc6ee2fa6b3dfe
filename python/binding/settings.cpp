#include "python/binding/settings.h"

#include <nanobind/stl/string.h>

#include "base/check.h"
#include "python/binding/array.h"

namespace glossa::python {

namespace {

bool is_numpy(const char* type, nb::handle value) {
  return nb::isinstance(value, nb::module_::import_("numpy").attr(type));
}

std::string text_of_value(const std::string& key, nb::handle value) {
  if (PyBool_Check(value.ptr()) || is_numpy("bool_", value)) return nb::cast<bool>(nb::bool_(value)) ? "true" : "false";
  if (PyUnicode_Check(value.ptr())) return nb::cast<std::string>(value);
  if (PyLong_Check(value.ptr()) || PyFloat_Check(value.ptr()) || is_numpy("number", value)) return string_of(value);
  if (nb::hasattr(value, "__fspath__")) return string_of(value.attr("__fspath__")());
  misuse(key, "expected text, a number, a bool, a path or a list of these; got {}. Hint: {}",
         string_of(nb::repr(value)), value.is_none() ? "leave the option out, or write 'none'" : "see docs/options.md");
}

void add_options(std::map<std::string, GivenValue>& result, const std::string& section, const nb::dict& options) {
  const auto add = [&](const std::string& name, GivenValue value) {
    if (!result.emplace(name, std::move(value)).second) misuse(name, "expected the option once; got two values");
  };
  for (const auto [key, value] : options) {
    if (!PyUnicode_Check(key.ptr()))
      misuse("options", "expected keys such as \"model.width\"; got {}", string_of(nb::repr(key)));
    const std::string name = section + nb::cast<std::string>(key);
    if (PyDict_Check(value.ptr())) {  // `value` is a section, as in YAML
      add_options(result, name + ".", nb::borrow<nb::dict>(value));
      continue;
    }
    if (!PyList_Check(value.ptr()) && !PyTuple_Check(value.ptr())) {
      add(name, text_of_value(name, value));
      continue;
    }
    std::vector<std::string> list;
    for (const nb::handle element : value) list.push_back(text_of_value(name, element));
    add(name, std::move(list));
  }
}

}  // namespace

std::map<std::string, GivenValue> to_options(const nb::dict& options) {
  std::map<std::string, GivenValue> result;
  add_options(result, "", options);
  return result;
}

}  // namespace glossa::python
