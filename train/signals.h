#pragma once

namespace glossa {

/// Directs SIGINT, SIGTERM, SIGHUP and SIGUSR1 to a dedicated thread, never to a computing one. The GEMM library's
/// generated code uses the stack pointer for other purposes, so a handler running on that "stack" would overwrite
/// numbers. New threads inherit the signal mask, so call this before any thread starts.
///
/// Until a SignalWatch exists, stop signals end the program by end_by_signal.
void take_signals_aside();

/// Catches signals during training; only one instance may exist at a time. SIGINT, SIGTERM and SIGHUP ask training to
/// stop at the next update boundary instead of ending the program. (SIGHUP means a closed terminal and is ignored under
/// nohup.) SIGUSR1 requests a checkpoint. SIGPIPE is ignored, since failed writes report an error anyway.
///
/// Signals within three seconds of the first count as the same stop, even after the SignalWatch is destroyed. Such
/// repeats are common: timeout(1) signals the program and then its group; a shell and its closing terminal both send
/// SIGHUP. mpirun relays a batch system's signal to all processes again after a second. Any later stop signal ends the
/// program at once.
class SignalWatch {
 public:
  static constexpr double seconds_of_one_stop = 3;

  SignalWatch();
  ~SignalWatch();
  SignalWatch(const SignalWatch&) = delete;
  SignalWatch& operator=(const SignalWatch&) = delete;

  /// The signal that asked to stop, or 0.
  int stop_signal() const;

  /// Acts as if SIGTERM had arrived; for when another process of the job was asked to stop.
  void stop();

  /// True if a checkpoint was requested since the last call.
  bool take_save_request();
};

}  // namespace glossa
