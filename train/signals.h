#pragma once

#include <functional>

#include "train/requests.h"

namespace glossa {

/// Directs SIGINT, SIGTERM, SIGHUP and SIGUSR1 to a dedicated thread. In other threads, matrix products block signals
/// (SignalsBlocked), which would delay the handlers. Call this before any thread starts, because new threads inherit
/// the signal mask.
///
/// Until a SignalWatch exists, stop signals end the program by end_by_signal, and SIGUSR1 is kept for the watch.
void take_signals_aside();

/// Turns signals into Requests to the program's work. Only one instance may exist at a time. SIGINT, SIGTERM and SIGHUP
/// ask the work to stop instead of ending the program. (SIGHUP means a closed terminal and is ignored under nohup.)
/// SIGUSR1 requests a checkpoint. SIGPIPE is ignored, since failed writes report an error anyway. Use it only in
/// programs that own their signals; a host of the library makes its requests directly.
///
/// Signals within three seconds of the first count as the same stop, even after the SignalWatch is destroyed. Such
/// repeats are common: timeout(1) signals the program and then its group; a shell and its closing terminal both send
/// SIGHUP. mpirun relays a batch system's signal to all processes again after a second. Any later stop signal ends the
/// program at once. If no stop was requested, the destructor restores all handlers. Otherwise it restores only those of
/// SIGUSR1 and SIGPIPE.
class SignalWatch {
 public:
  static constexpr double seconds_of_one_stop = 3;

  /// `requests` must outlive the watch, whose destructor waits for handlers that use them in other threads.
  explicit SignalWatch(Requests& requests);
  ~SignalWatch();
  SignalWatch(const SignalWatch&) = delete;
  SignalWatch& operator=(const SignalWatch&) = delete;
};

/// Ends the program by `signal`: prints a line, calls the action of WhenInterrupted, and takes the signal's default
/// action. A shell then sees status 130 after Ctrl-C. First waits up to ten seconds for an Uninterrupted to end. Call
/// it in a dedicated thread.
void end_by_signal(int signal);

/// Postpones end_by_signal while it exists, to protect output that must not be cut off. Objects of one thread may nest.
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
