#pragma once

#include <exception>
#include <string>

namespace glossa {

/// Text of a fatal error as the program prints it, and the exit status.
struct Failure {
  int status = 1;
  std::string text;
};

/// Describes any thrown exception.
Failure failure_of(const std::exception_ptr& thrown);

}  // namespace glossa
