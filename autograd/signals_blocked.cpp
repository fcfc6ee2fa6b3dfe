#include "autograd/signals_blocked.h"

namespace glossa {

namespace {

/// All signals except those raised by a thread's own instructions and writes.
sigset_t asynchronous_signals() {
  sigset_t signals;
  sigfillset(&signals);
  for (const int own : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS, SIGPIPE}) sigdelset(&signals, own);
  return signals;
}

}  // namespace

void SignalsBlocked::block() {
  static const sigset_t signals = asynchronous_signals();
  pthread_sigmask(SIG_BLOCK, &signals, &before_);
}

}  // namespace glossa
