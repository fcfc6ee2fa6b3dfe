#include "train/interruption.h"

#include <poll.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <mutex>
#include <utility>

#include "train/console/print.h"

namespace glossa {

namespace {

// Locked by output that must not be cut off, and finally by the end of the program.
std::recursive_timed_mutex& output() {
  static std::recursive_timed_mutex mutex;
  return mutex;
}

std::function<void()>& action_at_end() {
  static std::function<void()> action;
  return action;
}

/// A reader may never take the rest of the output, as when it is a pager.
constexpr std::chrono::seconds max_wait(10);

/// Writes complete lines that are still in the buffer, unless a reader keeps them waiting.
void flush_output() {
  pollfd reader{.fd = STDOUT_FILENO, .events = POLLOUT, .revents = 0};
  if (poll(&reader, 1, 0) <= 0 || ftrylockfile(stdout) != 0) return;
  std::fflush(stdout);
  funlockfile(stdout);
}

const char* name_of(int signal) { return signal == SIGINT ? "SIGINT" : signal == SIGHUP ? "SIGHUP" : "SIGTERM"; }

}  // namespace

void end_by_signal(int signal) {
  if (output().try_lock_for(max_wait)) {
    flush_output();
    if (action_at_end()) action_at_end()();
  }
  if (is_terminal(stderr)) std::fputs("\r\x1b[K", stderr);  // over a progress bar
  print_error(stderr, "stopped by {}", name_of(signal));
  std::signal(signal, SIG_DFL);
  raise(signal);
}

Uninterrupted::Uninterrupted() { output().lock(); }
Uninterrupted::~Uninterrupted() { output().unlock(); }

WhenInterrupted::WhenInterrupted(std::function<void()> action) {
  const Uninterrupted whole;
  action_at_end() = std::move(action);
}

WhenInterrupted::~WhenInterrupted() {
  const Uninterrupted whole;
  action_at_end() = nullptr;
}

}  // namespace glossa
