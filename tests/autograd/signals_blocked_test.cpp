#include "autograd/signals_blocked.h"

#include <doctest/doctest.h>
#include <sys/time.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <vector>

#include "autograd/context.h"
#include "autograd/ops.h"

using namespace glossa;

namespace {

std::atomic<int> handled = 0;

/// Sends SIGALRM every 100 microseconds while it exists; counts it in `handled`.
class Alarms {
 public:
  Alarms() {
    handled = 0;
    struct sigaction action {};
    action.sa_handler = [](int) { ++handled; };
    action.sa_flags = SA_RESTART;
    sigaction(SIGALRM, &action, &before_);
    set(100);
  }
  ~Alarms() {
    set(0);
    sigaction(SIGALRM, &before_, nullptr);
  }

 private:
  static void set(int microseconds) {
    const itimerval timer{.it_interval = {0, microseconds}, .it_value = {0, microseconds}};
    setitimer(ITIMER_REAL, &timer, nullptr);
  }

  struct sigaction before_ {};
};

}  // namespace

TEST_CASE("signals wait while they are blocked, and objects nest") {
  const Alarms alarms;
  while (handled == 0) {
  }
  const SignalsBlocked blocked;
  { const SignalsBlocked inner; }
  const int before = handled;
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(5);
  while (std::chrono::steady_clock::now() < end) {
  }
  CHECK(handled == before);
  { const SignalsBlocked::Pause pause; }
  CHECK(handled > before);
}

TEST_CASE("in a pause signals are as before the outermost object") {
  const auto blocked = [] {
    sigset_t mask;
    pthread_sigmask(SIG_BLOCK, nullptr, &mask);
    return sigismember(&mask, SIGALRM) == 1;
  };
  const SignalsBlocked outer, inner;
  {
    const SignalsBlocked::Pause pause;
    CHECK(!blocked());
    {
      const SignalsBlocked within;
      CHECK(blocked());
      const SignalsBlocked::Pause second;
      CHECK(!blocked());
    }
    CHECK(!blocked());
  }
  CHECK(blocked());
}

TEST_CASE("handlers of signals do not change products") {
  const std::vector<float> numbers(200 * 200, 0.37f);
  const Tensor<const float> matrix{numbers, {200, 200}};
  Context<float> context;
  const auto product = [&] {
    context.begin({.recording = false});
    const Tensor<const float> value = matmul(context.constant(matrix), context.constant(matrix)).value();
    return std::vector<float>(value.data, value.data + value.size());
  };
  const std::vector<float> expected = product();
  const Alarms alarms;
  while (handled < 500) REQUIRE(product() == expected);
}
