#pragma once

namespace glossa {

/// While one lives, SIGINT and SIGTERM ask training to stop at the next update boundary instead of ending the program;
/// a second one of either ends it at once. SIGUSR1 asks for a checkpoint. SIGPIPE is ignored: writes report it.
/// Handlers only set flags. One at a time.
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
