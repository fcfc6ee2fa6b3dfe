#include "app/serve/workers.h"

#include <doctest/doctest.h>

#include <atomic>
#include <memory>
#include <new>

using glossa::serve::Workers;

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
