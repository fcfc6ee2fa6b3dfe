#include "app/serve/workers.h"

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <memory>
#include <new>
#include <string>
#include <thread>
#include <vector>

using glossa::serve::Workers;

namespace {

std::ptrdiff_t threads_of_process() {
  return std::distance(std::filesystem::directory_iterator("/proc/self/task"), std::filesystem::directory_iterator());
}

}  // namespace

TEST_CASE("a task that throws is destroyed, and the next ones run") {
  const auto alive = std::make_shared<int>();
  std::atomic<int> done = 0;
  {
    Workers workers(1, 100);
    for (int i = 0; i < 10; ++i)
      workers.post("client", {.run =
                                  [alive, i, &done] {
                                    if (i % 2 == 0) throw std::bad_alloc();
                                    ++done;
                                  },
                              .refuse = [] {}});
  }
  CHECK_EQ(done, 5);
  CHECK_EQ(alive.use_count(), 1);
}

TEST_CASE("a refusal that throws does not reach the caller") {
  std::atomic<bool> has_begun = false, may_end = false;
  std::atomic<int> done = 0;
  {
    Workers workers(1, 1);
    const Workers::Task task{.run =
                                 [&] {
                                   has_begun = true;
                                   while (!may_end) std::this_thread::yield();
                                   ++done;
                                 },
                             .refuse = [] { throw std::bad_alloc(); }};
    workers.post("client", task);
    while (!has_begun) std::this_thread::yield();
    workers.post("client", task);                 // waits
    CHECK_NOTHROW(workers.post("client", task));  // is refused
    may_end = true;
  }
  CHECK_EQ(done, 2);
}

TEST_CASE("threads that end do not pile up while other threads keep the cores busy") {
  std::atomic<bool> may_end = false;
  std::vector<std::jthread> busy;
  for (unsigned i = 0; i < 4 * std::thread::hardware_concurrency(); ++i)
    busy.emplace_back([&] {
      while (!may_end) {
      }
    });
  constexpr int usual = 64;
  std::atomic<int> done = 0;
  {
    Workers workers(usual, 2000, 10);
    for (int i = 0; i < 1500; ++i) {
      workers.post(std::to_string(i % 8), {.run = [&] { ++done; }, .refuse = [] {}});
      std::this_thread::sleep_for(std::chrono::microseconds(300));
    }
    CHECK_LE(threads_of_process(), static_cast<std::ptrdiff_t>(busy.size()) + 2 * usual);
    may_end = true;
  }
  CHECK_EQ(done, 1500);
}
