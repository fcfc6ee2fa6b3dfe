#pragma once

#include <functional>
#include <string>

namespace glossa::disk {

/// A child process's ending.
struct ChildResult {
  int signal = 0;    ///< that killed it, or 0
  std::string text;  ///< its act's return value
};

/// Runs something in its own process, with standard error discarded. The text for an exception is "threw " plus its
/// message.
ChildResult in_child(const std::function<std::string()>& act);

}  // namespace glossa::disk
