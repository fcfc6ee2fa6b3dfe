#pragma once

namespace glossa {

/// From here on SIGINT, SIGTERM, SIGHUP and SIGUSR1 go to a thread that does nothing else, and to no thread that
/// computes: generated code of the product library uses the stack pointer for other things, so that a handler on "the
/// stack" would write over numbers. Threads inherit this: call it before the first parallel loop.
void take_signals_aside();

/// While one lives, SIGINT, SIGTERM and SIGHUP (a terminal that was closed; under nohup it is ignored) ask training to
/// stop at the next update boundary instead of ending the program. What comes within three seconds of the first is the
/// same stop, told twice, and is so after the watch, too: timeout(1) signals the program and then its group, a shell
/// whose terminal is closed and the terminal itself do the same, and mpirun passes on after a second what a batch
/// system has told all processes. A later one of any ends the program at once. SIGUSR1 asks for a checkpoint. SIGPIPE
/// is ignored: writes report it. One at a time.
class SignalWatch {
 public:
  static constexpr double seconds_of_one_stop = 3;

  SignalWatch();
  ~SignalWatch();
  SignalWatch(const SignalWatch&) = delete;
  SignalWatch& operator=(const SignalWatch&) = delete;

  /// The signal that asked to stop, or 0.
  int stop_signal() const;

  /// As SIGTERM does, where another process of the job was asked to stop.
  void stop();

  /// Whether a checkpoint was asked for since the last call.
  bool take_save_request();
};

}  // namespace glossa
