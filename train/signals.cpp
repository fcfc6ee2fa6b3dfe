#include "train/signals.h"

#include <array>
#include <csignal>
#include <cstddef>
#include <initializer_list>

namespace glossa {

namespace {

volatile std::sig_atomic_t stop_requested = 0;
volatile std::sig_atomic_t save_requested = 0;

void on_stop(int signal) {
  stop_requested = signal;
  // The second one ends the program.
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
}

void on_save(int) { save_requested = 1; }

/// Handlers run on a stack of their own. Generated code of the product library moves the stack pointer into memory that
/// it uses at the same time; a handler on "the stack" would write over numbers and over the heap.
void give_handlers_a_stack() {
  static std::array<std::byte, 1 << 16> stack;
  stack_t alternate{};
  alternate.ss_sp = stack.data();
  alternate.ss_size = stack.size();
  sigaltstack(&alternate, nullptr);
}

void install(int signal, void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART | SA_ONSTACK;
  sigaction(signal, &action, nullptr);
}

}  // namespace

SignalWatch::SignalWatch() {
  stop_requested = 0;
  save_requested = 0;
  give_handlers_a_stack();
  install(SIGINT, on_stop);
  install(SIGTERM, on_stop);
  install(SIGUSR1, on_save);
  install(SIGPIPE, SIG_IGN);
}

SignalWatch::~SignalWatch() {
  for (const int signal : {SIGINT, SIGTERM, SIGUSR1, SIGPIPE}) install(signal, SIG_DFL);
}

int SignalWatch::stop_signal() const { return stop_requested; }

bool SignalWatch::take_save_request() {
  const bool requested = save_requested != 0;
  save_requested = 0;
  return requested;
}

}  // namespace glossa
