#include "python/binding/computing.h"

#include <unistd.h>

#include <atomic>
#include <thread>

#include "base/check.h"

namespace glossa::python {

int Released::computing_ = 0;

namespace {

std::atomic<bool> is_exiting = false;
std::atomic<int> returning = 0;
std::thread::id exiting_thread;

}  // namespace

Released::Return::Return() {
  ++returning;
  if (!is_exiting || std::this_thread::get_id() == exiting_thread) return;
  --returning;
  while (true) ::pause();
}

Released::Return::~Return() { --returning; }

void Released::after_fork() {
  computing_ = computing_here_;
  returning = 0;
}

void Released::begin_exit() {
  exiting_thread = std::this_thread::get_id();
  is_exiting = true;
  while (returning > 0) {  // waits for threads that arrived earlier
    const nb::gil_scoped_release release;
    std::this_thread::yield();
  }
}

void Released::check_none(const char* where) {
  check(computing_ == 0, where,
        "expected no thread that computes; got {}. Hint: wait until its work is done; a callback is part of it",
        computing_);
}

void Computing::check_signals() {
  if (std::this_thread::get_id() != thread_) return;
  pause([] {
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
  });
}

}  // namespace glossa::python
