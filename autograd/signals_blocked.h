#pragma once

#include <csignal>

namespace glossa {

/// While it exists, no handler of an asynchronous signal runs in this thread; pending signals wait. Objects of a thread
/// may nest. The GEMM library's generated code uses the stack pointer for other purposes, so a handler running on that
/// "stack" would overwrite numbers (oneDNN before 3.11).
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

  /// Lets pending signals through: their handlers run in this call. For the thread's outermost object.
  void let_through() {
    restore();
    block();
  }

  /// True: a program has seen to it that handlers run in a thread that never computes. Nothing is blocked then, which
  /// saves two system calls each time.
  static inline bool handled_elsewhere = false;

 private:
  void block();
  void restore() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

  static inline constinit thread_local int depth_ = 0;
  const bool blocks_;
  sigset_t before_;
};

}  // namespace glossa
