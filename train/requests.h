#pragma once

#include <atomic>

namespace glossa {

/// Requests to running work: to stop, or to save a checkpoint now. Any thread and any signal handler may make them;
/// training grants them at the next update boundary.
class Requests {
 public:
  enum class By { nobody, signal, host };

  void stop(By by = By::host) noexcept {
    By none = By::nobody;
    stop_.compare_exchange_strong(none, by);  // only the first request counts
  }
  void save() noexcept { save_ = true; }

  /// Returns the source of the first stop request.
  By stopped_by() const noexcept { return stop_; }
  bool stops() const noexcept { return stop_ != By::nobody; }

  /// True if a checkpoint was requested since the last call.
  bool take_save() noexcept { return save_.exchange(false); }

 private:
  std::atomic<By> stop_ = By::nobody;
  std::atomic<bool> save_ = false;
  static_assert(std::atomic<By>::is_always_lock_free);  // signal handlers use it
};

}  // namespace glossa
