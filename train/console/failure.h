#pragma once

#include <exception>
#include <string>

namespace glossa {

/// What ended something, as the program tells it: `[where] expected ...; got ...`, and its exit status.
struct Failure {
  int status = 1;
  std::string text;
};

/// Of anything that may be thrown.
Failure failure_of(const std::exception_ptr& thrown);

}  // namespace glossa
