#include "train/signals.h"

#include <poll.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <ctime>
#include <initializer_list>
#include <iterator>
#include <mutex>
#include <thread>
#include <utility>

#include "autograd/signals_blocked.h"
#include "base/console/print.h"
#include "base/start_thread.h"

namespace glossa {

namespace {

std::atomic<Requests*> requests = nullptr;  // set by the SignalWatch
std::atomic<int> handlers = 0;              // number of running handlers that may use `requests`
std::atomic<bool> save_waits = false;       // a save was requested but not passed on yet
std::atomic<bool> stopped = false;
std::atomic<double> stopped_at = 0;
static_assert(std::atomic<double>::is_always_lock_free);  // signal handlers use atomics

/// The requests of the SignalWatch, for use in a handler; null without a watch. The watch's destructor waits until this
/// object is gone.
class Watching {
 public:
  Watching() {
    ++handlers;
    requests_ = requests;
  }
  ~Watching() { --handlers; }
  Watching(const Watching&) = delete;
  Watching& operator=(const Watching&) = delete;

  explicit operator bool() const { return requests_ != nullptr; }
  Requests* operator->() const { return requests_; }

 private:
  Requests* requests_;
};

using Handler = void (*)(int);

void install(int signal, Handler handler) {
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  sigaction(signal, &action, nullptr);
}

bool is_ignored(int signal) {
  struct sigaction action {};
  sigaction(signal, nullptr, &action);
  return action.sa_handler == SIG_IGN;
}

/// Installs a handler for stop signals, except for SIGHUP under nohup, which ignores SIGHUP.
void install_for_stops(Handler handler) {
  for (const int signal : {SIGINT, SIGTERM}) install(signal, handler);
  if (!is_ignored(SIGHUP)) install(SIGHUP, handler);
}

/// Reads a monotonic clock, safely in a handler.
double seconds_now() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

void on_stop(int signal) {
  if (!stopped) {
    stopped_at = seconds_now();
    stopped = true;
    if (const Watching watching; watching) watching->stop(Requests::By::signal);
  } else if (seconds_now() - stopped_at >= SignalWatch::seconds_of_one_stop) {
    install_for_stops(SIG_DFL);
    raise(signal);  // delivered when this handler returns
  }
}

void on_save(int) {
  save_waits = true;
  if (const Watching watching; watching && save_waits.exchange(false)) watching->save();
}

constexpr int watched[] = {SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGPIPE};
struct sigaction found[std::size(watched)];  // handlers that the SignalWatch replaced

// Held by each Uninterrupted, and finally by end_by_signal.
std::recursive_timed_mutex output;
std::function<void()> action_at_end;

/// Limit on waiting for output, because a reader such as a pager may never read the rest.
constexpr std::chrono::seconds max_wait(10);

/// Writes buffered output, unless the reader accepts no output now or another thread is writing.
void flush_output() {
  pollfd reader{.fd = STDOUT_FILENO, .events = POLLOUT, .revents = 0};
  if (poll(&reader, 1, 0) <= 0 || ftrylockfile(stdout) != 0) return;
  std::fflush(stdout);
  funlockfile(stdout);
}

const char* name_of(int signal) { return signal == SIGINT ? "SIGINT" : signal == SIGHUP ? "SIGHUP" : "SIGTERM"; }

}  // namespace

void take_signals_aside() {
  sigset_t aside, before;
  sigemptyset(&aside);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGUSR1}) sigaddset(&aside, signal);
  pthread_sigmask(SIG_BLOCK, &aside, &before);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP})
    if (!is_ignored(signal)) install(signal, end_by_signal);  // runs in the dedicated thread below
  install(SIGUSR1, on_save);
  start_thread([before] {
    for (;;) sigsuspend(&before);
  }).detach();
  SignalsBlocked::handled_elsewhere = true;
}

SignalWatch::SignalWatch(Requests& of_work) {
  stopped = false;
  requests = &of_work;
  if (save_waits.exchange(false)) of_work.save();
  for (std::size_t i = 0; i < std::size(watched); ++i) {
    struct sigaction current {};
    sigaction(watched[i], nullptr, &current);
    if (current.sa_handler != on_stop) found[i] = current;  // otherwise, an earlier watch left its handler there
  }
  install_for_stops(on_stop);
  install(SIGUSR1, on_save);
  install(SIGPIPE, SIG_IGN);
}

SignalWatch::~SignalWatch() {
  for (std::size_t i = 0; i < std::size(watched); ++i)
    if (const bool stops = watched[i] != SIGUSR1 && watched[i] != SIGPIPE; !(stops && stopped))
      sigaction(watched[i], &found[i], nullptr);
  requests = nullptr;
  while (handlers > 0) std::this_thread::yield();
}

void end_by_signal(int signal) {
  if (output.try_lock_for(max_wait)) {
    flush_output();
    if (action_at_end) action_at_end();
  }
  if (is_terminal(stderr)) std::fputs("\r\x1b[K", stderr);  // erases a progress bar
  print_error(stderr, "stopped by {}", name_of(signal));
  std::signal(signal, SIG_DFL);
  raise(signal);
}

Uninterrupted::Uninterrupted() { output.lock(); }
Uninterrupted::~Uninterrupted() { output.unlock(); }

WhenInterrupted::WhenInterrupted(std::function<void()> action) {
  const Uninterrupted whole;
  action_at_end = std::move(action);
}

WhenInterrupted::~WhenInterrupted() {
  const Uninterrupted whole;
  action_at_end = nullptr;
}

}  // namespace glossa
