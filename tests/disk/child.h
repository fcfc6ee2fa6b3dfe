#pragma once

#include <functional>
#include <string>

namespace glossa::disk {

/// How a child process ended.
struct ChildResult {
  int signal = 0;    ///< the signal that killed it, or 0
  std::string text;  ///< the return value of `act`
};

/// Runs `act` in its own process, with standard error discarded. If it throws, the text is "threw " plus the message.
ChildResult in_child(const std::function<std::string()>& act);

}  // namespace glossa::disk
