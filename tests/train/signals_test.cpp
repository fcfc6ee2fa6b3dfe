#include "train/signals.h"

#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <initializer_list>
#include <thread>

using namespace glossa;

namespace {

/// The signal that ends a process of its own in which `act` watches; 0 if it comes to its end.
template <class Act>
int ended_by(Act act) {
  const pid_t child = fork();
  REQUIRE_NE(child, -1);
  if (child == 0) {
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGPIPE})
      std::signal(signal, SIG_DFL);  // not the tests'
    {
      const SignalWatch watch;
      act(watch);
    }
    _exit(0);
  }
  int status = 0;
  REQUIRE_EQ(waitpid(child, &status, 0), child);
  return WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
}

}  // namespace

TEST_CASE("signals that training watches: the first asks to stop, what comes with it is the same, a later one ends") {
  constexpr std::array stops = {SIGINT, SIGTERM, SIGHUP};
  for (const int first : stops)
    CHECK_EQ(ended_by([=](const SignalWatch& watch) {
               raise(first);
               for (const int same : stops) raise(same);
               if (watch.stop_signal() != first) raise(SIGKILL);
             }),
             0);
  for (const int second : stops)
    CHECK_EQ(ended_by([=](const SignalWatch&) {
               raise(SIGTERM);
               std::this_thread::sleep_for(std::chrono::duration<double>(SignalWatch::seconds_of_one_stop));
               raise(second);
             }),
             second);
}

TEST_CASE(
    "signals that training watches: under nohup a terminal that is closed stops nothing, before, then and after") {
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

TEST_CASE("signals that training watches: a pipe that broke ends nothing, a save is asked for once") {
  CHECK_EQ(ended_by([](const SignalWatch&) { raise(SIGPIPE); }), 0);
  SignalWatch watch;
  CHECK_FALSE(watch.take_save_request());
  raise(SIGUSR1);
  CHECK(watch.take_save_request());
  CHECK_FALSE(watch.take_save_request());
  CHECK_EQ(watch.stop_signal(), 0);
}

TEST_CASE("signals that training watches end the program as before when nobody watches any more") {
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
             raise(SIGTERM);  // the same, to a program that has saved already
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
