#pragma once

namespace glossa {

/// From here on SIGINT, SIGTERM, SIGHUP and SIGUSR1 go to a dedicated thread, never to one that computes. Generated
/// code of the product library uses the stack pointer for other things, so a handler on "the stack" would overwrite
/// numbers. Threads inherit this: call it before the first parallel loop.
void take_signals_aside();

/// While one lives, SIGINT, SIGTERM and SIGHUP (a closed terminal; ignored under nohup) ask training to stop at the
/// next update boundary instead of ending the program. Signals within three seconds of the first count as the same
/// stop, even after the watch ends: timeout(1) signals the program and then its group, a shell and its closing terminal
/// both send SIGHUP, and mpirun relays a batch system's signal to all processes again after a second. Any later one
/// ends the program at once. SIGUSR1 asks for a checkpoint. SIGPIPE is ignored: writes report it. One at a time.
class SignalWatch {
 public:
  static constexpr double seconds_of_one_stop = 3;

  SignalWatch();
  ~SignalWatch();
  SignalWatch(const SignalWatch&) = delete;
  SignalWatch& operator=(const SignalWatch&) = delete;

  /// The signal that asked to stop, or 0.
  int stop_signal() const;

  /// Stops like SIGTERM, if another process of the job was asked to.
  void stop();

  /// True if a checkpoint was requested since the last call.
  bool take_save_request();
};

}  // namespace glossa
