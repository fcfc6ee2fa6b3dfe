#pragma once

#include <functional>
#include <string>

namespace glossa::disk {

/// How a child process ended.
struct Ended {
  int signal = 0;    ///< that killed it, or 0
  std::string text;  ///< what its act returned
};

/// Does something in a process of its own, with standard error thrown away. The text for an exception is "threw " and
/// what it says.
Ended in_child(const std::function<std::string()>& act);

}  // namespace glossa::disk
