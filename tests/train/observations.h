#pragma once

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "tests/train/subject.h"

namespace glossa::testing {

/// Something that a configuration leads to, what it is made of, and how it looks.
struct Observation {
  const char* name;
  Strings follows;
  std::function<std::string(Subject&)> look;
};

/// Everything that is looked at, causes before what follows from them: from the text of the corpus to the files of a
/// run.
const std::vector<Observation>& observations();

/// These and whatever follows from them, however far.
std::set<std::string> with_consequences(const Strings& names);

}  // namespace glossa::testing
