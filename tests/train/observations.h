#pragma once

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "tests/train/config_fixture.h"

namespace glossa::testing {

/// An observable effect of a configuration: its name, the observations it follows from, and its value as text.
struct Observation {
  const char* name;
  Strings follows;
  std::function<std::string(ConfigFixture&)> look;
};

/// All observations, causes before their effects, from the text of the corpus to the files of a run.
const std::vector<Observation>& observations();

/// Returns the named observations and their direct and indirect effects.
std::set<std::string> with_consequences(const Strings& names);

}  // namespace glossa::testing
