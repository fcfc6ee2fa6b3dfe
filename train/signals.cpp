#include "train/signals.h"

#include <atomic>
#include <csignal>
#include <ctime>
#include <initializer_list>

#include "autograd/start_thread.h"
#include "train/interruption.h"

namespace glossa {

namespace {

std::atomic<int> stop_requested = 0;
std::atomic<double> stop_requested_at = 0;
std::atomic<bool> save_requested = false;
static_assert(std::atomic<double>::is_always_lock_free);  // signal handlers use atomics

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

/// Installs a handler for stop signals, except for SIGHUP under nohup, which ignores it.
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
  if (stop_requested == 0) {
    stop_requested_at = seconds_now();
    stop_requested = signal;
  } else if (seconds_now() - stop_requested_at >= SignalWatch::seconds_of_one_stop) {
    install_for_stops(SIG_DFL);
    raise(signal);  // delivered when this handler returns
  }
}

void on_save(int) { save_requested = true; }

Handler usual_stop = SIG_DFL;  // without a SignalWatch

}  // namespace

void take_signals_aside() {
  sigset_t watched, before;
  sigemptyset(&watched);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGUSR1}) sigaddset(&watched, signal);
  pthread_sigmask(SIG_BLOCK, &watched, &before);
  usual_stop = end_by_signal;  // runs in the thread below
  for (const int signal : {SIGINT, SIGTERM, SIGHUP})
    if (!is_ignored(signal)) install(signal, usual_stop);
  start_thread([before] {
    for (;;) sigsuspend(&before);
  }).detach();
}

SignalWatch::SignalWatch() {
  stop_requested = 0;
  save_requested = false;
  install_for_stops(on_stop);
  install(SIGUSR1, on_save);
  install(SIGPIPE, SIG_IGN);
}

SignalWatch::~SignalWatch() {
  if (stop_requested == 0) install_for_stops(usual_stop);
  for (const int signal : {SIGUSR1, SIGPIPE}) install(signal, SIG_DFL);
}

int SignalWatch::stop_signal() const { return stop_requested; }

void SignalWatch::stop() {
  if (stop_requested == 0) on_stop(SIGTERM);
}

bool SignalWatch::take_save_request() { return save_requested.exchange(false); }

}  // namespace glossa
