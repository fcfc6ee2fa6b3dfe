#include "train/signals.h"

#include <doctest/doctest.h>
#include <sched.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <initializer_list>
#include <memory>
#include <new>
#include <thread>
#include <vector>

#include "tests/support/forked.h"

using namespace glossa;
using glossa::testing::end_of;
using glossa::testing::forked;

namespace {

/// A separate process that runs `act`, without the test's handlers.
template <class Act>
pid_t apart(Act act) {
  return forked([&] {
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGPIPE}) std::signal(signal, SIG_DFL);
    act();
  });
}

/// A separate process in which `act` watches.
template <class Act>
pid_t watching(Act act) {
  return apart([&] {
    Requests requests;
    const SignalWatch watch(requests);
    act(requests);
  });
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
    CHECK_EQ(ended_by([=](const Requests& requests) {
               raise(first);
               for (const int same : stops) raise(same);
               if (requests.stopped_by() != Requests::By::signal) raise(SIGKILL);
             }),
             0);
  std::vector<pid_t> later;  // in parallel, as they wait
  for (const int second : stops)
    later.push_back(watching([=](const Requests&) {
      raise(SIGTERM);
      wait_for_the_end_of_one_stop();
      raise(second);
    }));
  const pid_t after_the_watch = apart([] {
    {
      Requests of_stopped;
      const SignalWatch stopped(of_stopped);
      raise(SIGTERM);
    }
    wait_for_the_end_of_one_stop();
    raise(SIGINT);
  });
  for (std::size_t i = 0; i < later.size(); ++i) CHECK_EQ(end_of(later[i]), stops[i]);
  CHECK_EQ(end_of(after_the_watch), SIGINT);
}

TEST_CASE("signals that training watches: under nohup closing the terminal never stops anything") {
  CHECK_EQ(end_of(forked([] {
             std::signal(SIGHUP, SIG_IGN);
             {
               Requests requests;
               const SignalWatch watch(requests);
               raise(SIGHUP);
               if (requests.stops()) _exit(1);
               raise(SIGTERM);
               raise(SIGHUP);
             }
             raise(SIGHUP);
           })),
           0);
}

TEST_CASE("signals that training watches: a broken pipe ends nothing, and a save is requested once") {
  CHECK_EQ(ended_by([](const Requests&) { raise(SIGPIPE); }), 0);
  Requests requests;
  const SignalWatch watch(requests);
  CHECK_FALSE(requests.take_save());
  raise(SIGUSR1);
  CHECK(requests.take_save());
  CHECK_FALSE(requests.take_save());
  CHECK_FALSE(requests.stops());
}

TEST_CASE("signals that training watches end the program as before once the watch is over") {
  CHECK_EQ(end_of(apart([] {
             {
               Requests of_later;
               const SignalWatch later(of_later);
             }
             raise(SIGTERM);
           })),
           SIGTERM);
  CHECK_EQ(end_of(apart([] {
             {
               Requests of_later;
               const SignalWatch later(of_later);
             }
             raise(SIGHUP);
           })),
           SIGHUP);
  CHECK_EQ(end_of(apart([] {
             {
               Requests of_stopped;
               const SignalWatch stopped(of_stopped);
               raise(SIGTERM);
             }
             raise(SIGTERM);  // sent to a program that has already saved
           })),
           0);
  {
    Requests requests;
    const SignalWatch watch(requests);
    raise(SIGTERM);
    raise(SIGUSR1);
    CHECK(requests.stopped_by() == Requests::By::signal);
  }
  Requests requests;
  const SignalWatch next(requests);
  CHECK_FALSE(requests.stops());
  CHECK_FALSE(requests.take_save());
}

TEST_CASE("signals that training watches: handlers are put back as they were found") {
  constexpr int watched[] = {SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGPIPE};
  const auto of_host = [](int) {};
  std::vector<void (*)(int)> before;
  for (const int signal : watched) before.push_back(std::signal(signal, of_host));
  {
    Requests requests;
    const SignalWatch watch(requests);
  }
  for (std::size_t i = 0; i < std::size(watched); ++i) {
    CAPTURE(watched[i]);
    CHECK((std::signal(watched[i], before[i]) == static_cast<void (*)(int)>(of_host)));
  }
}

TEST_CASE("the first request to stop counts") {
  Requests requests;
  CHECK_FALSE(requests.stops());
  requests.stop();
  requests.stop(Requests::By::signal);
  CHECK(requests.stopped_by() == Requests::By::host);
}

TEST_CASE("a watch after a stopped one gives back the handlers from before both") {
  const int status = end_of(apart([] {
    std::signal(SIGTERM, SIG_IGN);
    for (const bool stops : {true, false}) {
      Requests requests;
      const SignalWatch watch(requests);
      if (stops) raise(SIGTERM);
    }
    struct sigaction now {};
    sigaction(SIGTERM, nullptr, &now);
    _exit(now.sa_handler == SIG_IGN ? 0 : 1);
  }));
  CHECK_EQ(status, 0);
}

namespace {

std::atomic<bool> handler_waits, handler_may_continue;

/// Lets a signal's handler wait, at its access to a page that may not be accessed yet.
void on_fault(int) {
  handler_waits = true;
  while (!handler_may_continue) sched_yield();
}

}  // namespace

TEST_CASE("signals that training watches: the end of the watch waits for a handler that uses its requests") {
  const auto bytes = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  for (const int signal : {SIGUSR1, SIGTERM}) {
    CAPTURE(signal);
    handler_waits = handler_may_continue = false;
    void* const page = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    REQUIRE_NE(page, MAP_FAILED);
    auto* const requests = new (page) Requests;
    auto watch = std::make_unique<SignalWatch>(*requests);
    const auto before = std::signal(SIGSEGV, on_fault);
    mprotect(page, bytes, PROT_NONE);
    std::thread sender([=] { raise(signal); });
    while (!handler_waits) std::this_thread::yield();
    std::atomic<bool> is_over = false;
    std::thread end([&] {
      watch.reset();
      is_over = true;
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    CHECK_FALSE(is_over);
    mprotect(page, bytes, PROT_READ | PROT_WRITE);
    handler_may_continue = true;
    sender.join();
    end.join();
    std::signal(SIGSEGV, before);
    CHECK_EQ(requests->take_save(), signal == SIGUSR1);
    CHECK_EQ(requests->stops(), signal == SIGTERM);
    munmap(page, bytes);
  }
  Requests of_later;
  const SignalWatch later(of_later);  // restores the handlers that the stop left
}

TEST_CASE("signals set aside: a save requested before training begins is one for its first update") {
  CHECK_EQ(end_of(apart([] {
             take_signals_aside();
             kill(getpid(), SIGUSR1);
             sigset_t pending;
             do {
               sigpending(&pending);
             } while (sigismember(&pending, SIGUSR1) == 1);
             Requests requests;
             const SignalWatch watch(requests);
             for (int tries = 0; tries < 1000 && !requests.take_save(); ++tries) {
               if (tries == 999) _exit(1);
               std::this_thread::sleep_for(std::chrono::milliseconds(10));
             }
             if (requests.take_save()) _exit(2);
           })),
           0);
}
