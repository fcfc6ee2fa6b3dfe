#pragma once

#include <functional>

namespace glossa {

/// Ends the program by `signal`: prints a line, calls the action of WhenInterrupted, and lets the signal's default
/// action end the program, so that a shell sees status 130 after Ctrl-C. First waits for an Uninterrupted to end, for
/// some seconds. Call it in a thread of its own.
void end_by_signal(int signal);

/// Postpones end_by_signal while it exists: for output that must not be cut off. Objects of one thread may nest.
class Uninterrupted {
 public:
  Uninterrupted();
  ~Uninterrupted();
  Uninterrupted(const Uninterrupted&) = delete;
  Uninterrupted& operator=(const Uninterrupted&) = delete;
};

/// Calls `action` if end_by_signal ends the program while this object exists. Only one may exist at a time.
class WhenInterrupted {
 public:
  explicit WhenInterrupted(std::function<void()> action);
  ~WhenInterrupted();
  WhenInterrupted(const WhenInterrupted&) = delete;
  WhenInterrupted& operator=(const WhenInterrupted&) = delete;
};

}  // namespace glossa
