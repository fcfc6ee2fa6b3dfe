#pragma once

#include <functional>

#include "train/requests.h"

namespace glossa {

/// Directs SIGINT, SIGTERM, SIGHUP and SIGUSR1 to a dedicated thread, so that their handlers never wait for a matrix
/// product (SignalsBlocked). New threads inherit the signal mask, so call this before any thread starts.
///
/// Until a SignalWatch exists, stop signals end the program by end_by_signal, and SIGUSR1 is kept for the watch.
void take_signals_aside();

/// Directs signals to the requests of a program's work; only one instance may exist at a time. SIGINT, SIGTERM and
/// SIGHUP ask the work to stop instead of ending the program. (SIGHUP means a closed terminal and is ignored under
/// nohup.) SIGUSR1 requests a checkpoint. SIGPIPE is ignored, since failed writes report an error anyway. For programs
/// that own their signals; a library's host makes the requests itself.
///
/// Signals within three seconds of the first count as the same stop, even after the SignalWatch is destroyed. Such
/// repeats are common: timeout(1) signals the program and then its group; a shell and its closing terminal both send
/// SIGHUP. mpirun relays a batch system's signal to all processes again after a second. Any later stop signal ends the
/// program at once. Without a stop, the destructor restores all handlers as they were; after one, SIGUSR1's and
/// SIGPIPE's.
class SignalWatch {
 public:
  static constexpr double seconds_of_one_stop = 3;

  /// `requests` must outlive the watch, whose destructor waits for handlers that use them in other threads.
  explicit SignalWatch(Requests& requests);
  ~SignalWatch();
  SignalWatch(const SignalWatch&) = delete;
  SignalWatch& operator=(const SignalWatch&) = delete;
};

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
