#pragma once

#include <exception>
#include <string>

namespace glossa {

/// Fatal error as the program prints it, and its exit status.
struct Failure {
  int status = 1;
  std::string text;
};

/// Describes any thrown exception.
Failure failure_of(const std::exception_ptr& thrown);

}  // namespace glossa
