#pragma once

#include <csignal>
#include <utility>

namespace glossa {

/// While a SignalsBlocked exists, no handler of an asynchronous signal runs in its thread; pending signals wait.
/// Objects may nest within a thread. The GEMM library's generated code (oneDNN before 3.11) uses the stack pointer for
/// other purposes, so a handler would write its stack frame over numbers.
class SignalsBlocked {
 public:
  SignalsBlocked() : blocks_(depth_++ == 0 && !handled_elsewhere) {
    if (blocks_) block();
  }
  ~SignalsBlocked() {
    --depth_;
    if (blocks_) restore();
  }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

  /// While a Pause exists, the thread's signal mask is as it was before its outermost SignalsBlocked. Handlers of
  /// pending signals run in the constructor.
  class Pause {
   public:
    Pause() : depth_before_(std::exchange(depth_, 0)), restores_(depth_before_ > 0 && !handled_elsewhere) {
      if (restores_) restore();
    }
    ~Pause() {
      depth_ = depth_before_;
      if (restores_) block();
    }
    Pause(const Pause&) = delete;
    Pause& operator=(const Pause&) = delete;

   private:
    const int depth_before_;
    const bool restores_;
  };

  /// Set to true by a program whose handlers run in a thread that never computes. Nothing is then blocked, which saves
  /// two system calls each time.
  static inline bool handled_elsewhere = false;

 private:
  static void block();
  static void restore() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

  static inline constinit thread_local int depth_ = 0;
  static inline constinit thread_local sigset_t before_ = {};  // the thread's mask before the outermost object
  const bool blocks_;
};

}  // namespace glossa
