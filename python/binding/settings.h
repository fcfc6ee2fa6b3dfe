#pragma once

#include <nanobind/nanobind.h>

#include "config/settings.h"

namespace glossa::python {

/// Converts a Python dict to options by key. Values are text as in YAML, numbers, bools, paths, lists of these, or a
/// dict for a section.
std::map<std::string, GivenValue> to_options(const nanobind::dict& options);

}  // namespace glossa::python
