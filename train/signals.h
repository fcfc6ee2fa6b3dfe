#pragma once

namespace glossa {

/// From here on SIGINT, SIGTERM, SIGHUP and SIGUSR1 go to a thread that does nothing else, and to no thread that
/// computes: generated code of the product library uses the stack pointer for other things, so that a handler on "the
/// stack" would write over numbers. Threads inherit this: call it before the first parallel loop.
void take_signals_aside();

/// While one lives, SIGINT, SIGTERM and SIGHUP (a terminal that was closed; under nohup it is ignored) ask training to
/// stop at the next update boundary instead of ending the program; a second one of any ends it at once. SIGUSR1 asks
/// for a checkpoint. SIGPIPE is ignored: writes report it. Handlers only set flags. One at a time.
class SignalWatch {
 public:
  SignalWatch();
  ~SignalWatch();
  SignalWatch(const SignalWatch&) = delete;
  SignalWatch& operator=(const SignalWatch&) = delete;

  /// The signal that asked to stop, or 0.
  int stop_signal() const;

  /// Whether a checkpoint was asked for since the last call.
  bool take_save_request();
};

}  // namespace glossa
