#include "train/signals.h"

#include <atomic>
#include <csignal>
#include <initializer_list>
#include <thread>

namespace glossa {

namespace {

std::atomic<int> stop_requested = 0;
std::atomic<bool> save_requested = false;

void install(int signal, void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  sigaction(signal, &action, nullptr);
}

/// For the signals that stop training; nohup ignores SIGHUP, and means it.
void install_for_stops(void (*handler)(int)) {
  struct sigaction hangup {};
  sigaction(SIGHUP, nullptr, &hangup);
  for (const int signal : {SIGINT, SIGTERM}) install(signal, handler);
  if (hangup.sa_handler != SIG_IGN) install(SIGHUP, handler);
}

void on_stop(int signal) {
  stop_requested = signal;
  install_for_stops(SIG_DFL);  // the second one ends the program
}

void on_save(int) { save_requested = true; }

}  // namespace

void take_signals_aside() {
  sigset_t watched, before;
  sigemptyset(&watched);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGUSR1}) sigaddset(&watched, signal);
  pthread_sigmask(SIG_BLOCK, &watched, &before);
  std::thread([before] {
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
  install_for_stops(SIG_DFL);
  for (const int signal : {SIGUSR1, SIGPIPE}) install(signal, SIG_DFL);
}

int SignalWatch::stop_signal() const { return stop_requested; }

bool SignalWatch::take_save_request() { return save_requested.exchange(false); }

}  // namespace glossa
