#include "python/binding/computing.h"

#include <unistd.h>

#include <atomic>
#include <thread>

#include "autograd/check.h"

namespace glossa::python {

namespace {

/// All signals but those that an instruction of the thread itself raises.
const sigset_t asynchronous = [] {
  sigset_t signals;
  sigfillset(&signals);
  for (const int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS}) sigdelset(&signals, fault);
  return signals;
}();

}  // namespace

SignalsBlocked::SignalsBlocked() { pthread_sigmask(SIG_BLOCK, &asynchronous, &before_); }

void SignalsBlocked::let_through() {
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  pthread_sigmask(SIG_BLOCK, &asynchronous, nullptr);
}

int Computing::computing_ = 0;

namespace {

std::atomic<bool> is_exiting = false;
std::atomic<int> returning = 0;
std::thread::id exiting_thread;

}  // namespace

Computing::Return::Return() {
  ++returning;
  if (!is_exiting || std::this_thread::get_id() == exiting_thread) return;
  --returning;
  while (true) ::pause();
}

Computing::Return::~Return() { --returning; }

void Computing::begin_exit() {
  exiting_thread = std::this_thread::get_id();
  is_exiting = true;
  while (returning > 0) {  // threads that came before
    const nb::gil_scoped_release release;
    std::this_thread::yield();
  }
}

void Computing::check_none(const char* where) {
  check(computing_ == 0, where, "expected no thread that computes; got {}. Hint: set it before the work begins",
        computing_);
}

}  // namespace glossa::python
