#include "train/signals.h"

#include <atomic>
#include <csignal>
#include <initializer_list>
#include <thread>

namespace glossa {

namespace {

std::atomic<int> stop_requested = 0;
std::atomic<bool> save_requested = false;

void on_stop(int signal) {
  stop_requested = signal;
  // The second one ends the program.
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
}

void on_save(int) { save_requested = true; }

void install(int signal, void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  sigaction(signal, &action, nullptr);
}

}  // namespace

void take_signals_aside() {
  sigset_t watched, before;
  sigemptyset(&watched);
  for (const int signal : {SIGINT, SIGTERM, SIGUSR1}) sigaddset(&watched, signal);
  pthread_sigmask(SIG_BLOCK, &watched, &before);
  std::thread([before] {
    for (;;) sigsuspend(&before);
  }).detach();
}

SignalWatch::SignalWatch() {
  stop_requested = 0;
  save_requested = false;
  install(SIGINT, on_stop);
  install(SIGTERM, on_stop);
  install(SIGUSR1, on_save);
  install(SIGPIPE, SIG_IGN);
}

SignalWatch::~SignalWatch() {
  for (const int signal : {SIGINT, SIGTERM, SIGUSR1, SIGPIPE}) install(signal, SIG_DFL);
}

int SignalWatch::stop_signal() const { return stop_requested; }

bool SignalWatch::take_save_request() { return save_requested.exchange(false); }

}  // namespace glossa
