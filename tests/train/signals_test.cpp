#include "train/signals.h"

#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <initializer_list>
#include <thread>
#include <vector>

using namespace glossa;

namespace {

/// A separate process in which `act` watches.
template <class Act>
pid_t watching(Act act) {
  const pid_t child = fork();
  REQUIRE_NE(child, -1);
  if (child == 0) {
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGPIPE})
      std::signal(signal, SIG_DFL);  // instead of the test's handlers
    {
      const SignalWatch watch;
      act(watch);
    }
    _exit(0);
  }
  return child;
}

/// The signal that ends it; 0 if it finishes.
int end_of(pid_t child) {
  int status = 0;
  REQUIRE_EQ(waitpid(child, &status, 0), child);
  return WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
}

template <class Act>
int ended_by(Act act) {
  return end_of(watching(act));
}

void wait_for_the_end_of_one_stop() {
  std::this_thread::sleep_for(std::chrono::duration<double>(SignalWatch::seconds_of_one_stop));
}

}  // namespace

TEST_CASE(
    "signals that training watches: the first requests a stop, others with it do nothing more, a later one ends") {
  constexpr std::array stops = {SIGINT, SIGTERM, SIGHUP};
  for (const int first : stops)
    CHECK_EQ(ended_by([=](const SignalWatch& watch) {
               raise(first);
               for (const int same : stops) raise(same);
               if (watch.stop_signal() != first) raise(SIGKILL);
             }),
             0);
  std::vector<pid_t> later;  // in parallel, as they wait
  for (const int second : stops)
    later.push_back(watching([=](const SignalWatch&) {
      raise(SIGTERM);
      wait_for_the_end_of_one_stop();
      raise(second);
    }));
  const pid_t after_the_watch = watching([](const SignalWatch&) {
    {
      const SignalWatch stopped;
      raise(SIGTERM);
    }
    wait_for_the_end_of_one_stop();
    raise(SIGINT);
  });
  for (std::size_t i = 0; i < later.size(); ++i) CHECK_EQ(end_of(later[i]), stops[i]);
  CHECK_EQ(end_of(after_the_watch), SIGINT);
}

TEST_CASE("signals that training watches: another process's signal counts as this one's") {
  SignalWatch watch;
  watch.stop();
  CHECK_EQ(watch.stop_signal(), SIGTERM);
  raise(SIGINT);
  CHECK_EQ(watch.stop_signal(), SIGTERM);
}

TEST_CASE("signals that training watches: under nohup closing the terminal never stops anything") {
  const pid_t child = fork();
  REQUIRE_NE(child, -1);
  if (child == 0) {
    std::signal(SIGHUP, SIG_IGN);
    {
      const SignalWatch watch;
      raise(SIGHUP);
      if (watch.stop_signal() != 0) _exit(1);
      raise(SIGTERM);
      raise(SIGHUP);
    }
    raise(SIGHUP);
    _exit(0);
  }
  int status = 0;
  REQUIRE_EQ(waitpid(child, &status, 0), child);
  CHECK(WIFEXITED(status));
  CHECK_EQ(WEXITSTATUS(status), 0);
}

TEST_CASE("signals that training watches: a broken pipe ends nothing, and a save is requested once") {
  CHECK_EQ(ended_by([](const SignalWatch&) { raise(SIGPIPE); }), 0);
  SignalWatch watch;
  CHECK_FALSE(watch.take_save_request());
  raise(SIGUSR1);
  CHECK(watch.take_save_request());
  CHECK_FALSE(watch.take_save_request());
  CHECK_EQ(watch.stop_signal(), 0);
}

TEST_CASE("signals that training watches end the program as before once the watch is over") {
  CHECK_EQ(ended_by([](const SignalWatch&) {
             { const SignalWatch later; }
             raise(SIGTERM);
           }),
           SIGTERM);
  CHECK_EQ(ended_by([](const SignalWatch&) {
             { const SignalWatch later; }
             raise(SIGHUP);
           }),
           SIGHUP);
  CHECK_EQ(ended_by([](const SignalWatch&) {
             {
               const SignalWatch stopped;
               raise(SIGTERM);
             }
             raise(SIGTERM);  // sent to a program that has already saved
           }),
           0);
  {
    SignalWatch watch;
    raise(SIGTERM);
    raise(SIGUSR1);
    CHECK_EQ(watch.stop_signal(), SIGTERM);
  }
  SignalWatch next;
  CHECK_EQ(next.stop_signal(), 0);
  CHECK_FALSE(next.take_save_request());
}
