// Many threads add, several take. Also run under ThreadSanitizer.
#include "app/serve/fair_queue.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <thread>

using glossa::serve::FairQueue;

TEST_CASE("every piece that is not withdrawn is taken once, despite concurrent adds, takes and a close") {
  constexpr int clients = 4, rounds = 200;
  FairQueue<int> queue({.room = 64, .batch = 5, .gather = std::chrono::microseconds(50)});
  std::vector<std::atomic<int>> taken(clients * rounds * 3);
  std::atomic<int> refused = 0, withdrawn = 0;
  std::vector<std::thread> threads;
  for (int taker = 0; taker < 3; ++taker)
    threads.emplace_back([&] {
      for (;;) {
        const std::vector<int> batch =
            queue.take([](const std::vector<int>& has, int piece) { return has.front() % 2 == piece % 2; });
        if (batch.empty()) return;
        for (const int piece : batch) ++taken[static_cast<std::size_t>(piece)];
      }
    });
  for (int client = 0; client < clients; ++client)
    threads.emplace_back([&, client] {
      for (int round = 0; round < rounds; ++round) {
        const int first = (client * rounds + round) * 3;
        std::optional<std::uint64_t> known_by;
        while (!(known_by = queue.add({first, first + 1, first + 2}))) {
          ++refused;
          std::this_thread::yield();
        }
        if (round % 8 == 0) {
          queue.withdraw(*known_by);
          ++withdrawn;
        }
        REQUIRE_LE(queue.size(), 64);
      }
    });
  for (std::size_t i = 3; i < threads.size(); ++i) threads[i].join();
  queue.close();
  for (std::size_t i = 0; i < 3; ++i) threads[i].join();
  CHECK_EQ(queue.size(), 0);
  const auto count = [&](int times) {
    return std::ranges::count_if(taken, [&](const std::atomic<int>& each) { return each == times; });
  };
  CHECK_EQ(count(0) + count(1), std::ssize(taken));
  CHECK_LE(count(0), 3 * withdrawn);
}
