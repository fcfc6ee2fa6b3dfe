#include "app/serve/fair_queue.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <mutex>
#include <semaphore>
#include <string>
#include <thread>

#include "app/serve/workers.h"

using namespace std::chrono_literals;
using glossa::serve::FairQueue;
using Queue = FairQueue<std::string>;
using Words = std::vector<std::string>;

namespace {

const auto all_join = [](const Words&, const std::string&) { return true; };

/// Workers whose tasks have names, and end when the gate lets them.
class NamedTasks {
 public:
  NamedTasks(std::size_t threads, std::size_t room) : workers(threads, room) {}

  /// Posts tasks of a client, with one letter each.
  void post(const std::string& client, const std::string& letters) {
    for (const char letter : letters) {
      const auto add_to = [this, name = client + letter](Words& words) {
        const std::scoped_lock lock(mutex_);
        words.push_back(name);
      };
      const auto run = [this, add_to] {
        add_to(begun_);
        gate.acquire();
      };
      workers.post(client, {.run = run, .refuse = [this, add_to] { add_to(refused); }});
    }
  }

  /// The tasks in the order of their begin, once there are `count`.
  Words begun(std::size_t count) {
    for (;; std::this_thread::yield()) {
      const std::scoped_lock lock(mutex_);
      if (begun_.size() >= count) return begun_;
    }
  }

  Words refused;
  std::counting_semaphore<> gate{0};

 private:
  std::mutex mutex_;
  Words begun_;

 public:
  glossa::serve::Workers workers;  // ends first
};

}  // namespace

TEST_CASE("a batch takes one piece per asker in turn, so that a large request delays nobody") {
  Queue queue({.room = 100, .batch = 4, .gather = 0s});
  queue.add({"a1", "a2", "a3", "a4", "a5", "a6"});
  queue.add({"b1"});
  queue.add({"c1", "c2"});
  CHECK_EQ(queue.size(), 9);
  CHECK_EQ(queue.take(all_join), Words{"a1", "b1", "c1", "a2"});
  CHECK_EQ(queue.take(all_join), Words{"c2", "a3", "a4", "a5"});
  queue.add({"d1"});
  CHECK_EQ(queue.take(all_join), Words{"a6", "d1"});
  CHECK_EQ(queue.size(), 0);
}

TEST_CASE("clients get equally many places of a batch, however many requests they have") {
  Queue queue({.room = 100, .batch = 6, .gather = 0s});
  for (const char* piece : {"a1", "a2", "a3", "a4", "a5", "a6", "a7"}) queue.add({piece}, "a");
  queue.add({"b1", "b2", "b3"}, "b");
  const Words batch = queue.take(all_join);
  CHECK_EQ(std::ranges::count_if(batch, [](const std::string& piece) { return piece[0] == 'b'; }), 3);
  CHECK_EQ(queue.take(all_join), Words{"a4", "a5", "a6", "a7"});
}

TEST_CASE("a thread that has work takes only what it may begin, and nothing that a waiting thread will take") {
  Queue queue({.room = 100, .batch = 10, .gather = 0s});
  const auto begins = [](const std::string& piece) { return piece[0] == 'b'; };
  const auto same_letter = [](const Words& batch, const std::string& word) { return word[0] == batch[0][0]; };
  CHECK(queue.take_now(begins, same_letter).empty());
  queue.add({"a1"});
  CHECK(queue.take_now(begins, same_letter).empty());
  queue.add({"b1"});
  queue.add({"b2"});
  CHECK_EQ(queue.take_now(begins, same_letter), Words{"b1", "b2"});
  CHECK_EQ(queue.size(), 1);

  Queue patient({.room = 100, .batch = 10, .gather = 1h});
  patient.add({"b1"});
  CHECK(patient.take_now(begins, same_letter).empty());  // others may still join
  std::thread waits([&] { CHECK_EQ(patient.take(all_join), Words{"b1"}); });
  while (patient.idle() == 0) std::this_thread::yield();
  patient.close();
  waits.join();
}

TEST_CASE("a cleared queue drops all pieces and takes no more") {
  Queue queue({.room = 100, .batch = 10, .gather = 0s});
  queue.add({"a", "b"});
  queue.clear();
  CHECK_EQ(queue.size(), 0);
  CHECK_FALSE(queue.add({"c"}));
  CHECK(queue.take(all_join).empty());
}

TEST_CASE("a piece that does not join a batch is the first of the next") {
  Queue queue({.room = 100, .batch = 10, .gather = 0s});
  const auto same_letter = [](const Words& batch, const std::string& word) { return word[0] == batch[0][0]; };
  queue.add({"a1", "a2"});
  queue.add({"b1", "a3"});
  queue.add({"a4"});
  CHECK_EQ(queue.take(same_letter), Words{"a1", "a4", "a2"});
  CHECK_EQ(queue.take(same_letter), Words{"b1"});
  CHECK_EQ(queue.take(same_letter), Words{"a3"});
}

TEST_CASE("either all pieces of an asker are queued or none; withdrawing makes room") {
  Queue queue({.room = 3, .batch = 1, .gather = 0s});
  const auto first = queue.add({"a", "b"});
  REQUIRE(first);
  CHECK_FALSE(queue.add({"c", "d"}));
  REQUIRE(queue.add({"e"}));
  CHECK_FALSE(queue.add({"f", "g"}));
  CHECK(queue.add({}));
  CHECK_EQ(queue.take(all_join), Words{"a"});
  queue.withdraw(*first);
  CHECK_EQ(queue.size(), 1);
  queue.withdraw(*first);
  CHECK_EQ(queue.size(), 1);
  CHECK(queue.add({"g", "h"}));
  CHECK_EQ(queue.take(all_join), Words{"e"});
}

TEST_CASE("the asker with the most waiting yields to smaller requests, and to no others") {
  Queue queue({.room = 6, .batch = 1, .gather = 0s});
  const auto large = queue.add({"a", "a", "a", "a"});
  REQUIRE(queue.add({"b", "b"}));
  REQUIRE(queue.add({"c"}));
  CHECK_EQ(queue.size(), 3);
  queue.withdraw(*large);
  CHECK_EQ(queue.size(), 3);
  REQUIRE(queue.add({"d", "d", "d"}));
  CHECK_FALSE(queue.add({"e", "e", "e"}));
  CHECK_FALSE(queue.add({"f", "f", "f", "f", "f", "f", "f"}));
  CHECK_EQ(queue.size(), 6);
  CHECK_EQ(queue.take(all_join), Words{"b"});
  CHECK_EQ(queue.take(all_join), Words{"c"});
  CHECK_EQ(queue.take(all_join), Words{"d"});
}

TEST_CASE("the client with the most waiting yields, however small its requests are") {
  Queue queue({.room = 6, .batch = 6, .gather = 0s});
  for (int i = 0; i < 6; ++i) REQUIRE(queue.add({"a"}, "a"));
  CHECK_FALSE(queue.add({"a"}, "a"));
  REQUIRE(queue.add({"b", "b"}, "b"));
  CHECK_EQ(queue.size(), 6);
  CHECK_FALSE(queue.add({"c", "c", "c", "c", "c"}, "c"));
  CHECK_FALSE(queue.add({"b", "b"}, "b"));  // it would have as many as the other
  CHECK_FALSE(queue.add({"a"}, "a"));
  Words batch = queue.take(all_join);
  std::ranges::sort(batch);
  CHECK_EQ(batch, Words{"a", "a", "a", "a", "b", "b"});
}

TEST_CASE("a batch waits up to `gather` for more pieces, and no longer once it is full") {
  Queue queue({.room = 100, .batch = 2, .gather = 10s});
  std::thread late([&] {
    std::this_thread::sleep_for(20ms);
    queue.add({"b"});
  });
  queue.add({"a"});
  const auto began = std::chrono::steady_clock::now();
  CHECK_EQ(queue.take(all_join), Words{"a", "b"});
  CHECK_LT(std::chrono::steady_clock::now() - began, 5s);
  late.join();
  Queue hasty({.room = 100, .batch = 2, .gather = 1ms});
  hasty.add({"a"});
  CHECK_EQ(hasty.take(all_join), Words{"a"});
}

TEST_CASE("a closed queue returns its remaining pieces, and then nothing") {
  Queue queue({.room = 100, .batch = 10, .gather = 10s});
  queue.add({"a"});
  std::thread closer([&] {
    std::this_thread::sleep_for(10ms);
    queue.close();
  });
  CHECK_EQ(queue.take(all_join), Words{"a"});
  CHECK_EQ(queue.take(all_join), Words{});
  CHECK_FALSE(queue.add({"b"}));
  closer.join();
}

TEST_CASE("workers are as many as there are tasks, never more than the limit, and none without a task") {
  const auto threads = [] { return std::ranges::distance(std::filesystem::directory_iterator("/proc/self/task")); };
  const auto before = threads();
  glossa::serve::Workers workers(3, 100);
  CHECK(threads() <= before);
  for (int round = 0; round < 2; ++round) {
    std::counting_semaphore<> gate{0};
    std::atomic<int> begun = 0, done = 0;
    const auto run = [&] {
      ++begun;
      gate.acquire();
      ++done;
    };
    for (int i = 0; i < 10; ++i) workers.post(std::to_string(i), {.run = run, .refuse = {}});
    while (begun < 3) std::this_thread::yield();
    CHECK(threads() <= before + 3);
    CHECK_EQ(begun, 3);
    gate.release(10);
    while (done < 10 || threads() > before) std::this_thread::yield();
  }
}

TEST_CASE("workers finish all tasks before they end") {
  std::atomic<int> done = 0;
  {
    glossa::serve::Workers workers(3, 1000);
    for (int i = 0; i < 500; ++i) workers.post("a", {.run = [&] { ++done; }, .refuse = {}});
    CHECK(workers.wait_for(1h));
  }
  CHECK_EQ(done, 500);
}

TEST_CASE("a client has no more threads than are free, and yields if there is no room") {
  NamedTasks tasks(4, 6);
  tasks.post("a", "1");
  CHECK_EQ(tasks.begun(1), Words{"a1"});
  tasks.post("a", "2");
  CHECK_EQ(tasks.begun(2), Words{"a1", "a2"});
  tasks.post("a", "345678");
  tasks.post("b", "1");
  CHECK_EQ(tasks.begun(3), Words{"a1", "a2", "b1"});
  CHECK_EQ(tasks.refused, Words{"a8"});
  tasks.post("c", "1");
  CHECK_EQ(tasks.begun(4), Words{"a1", "a2", "b1", "c1"});
  tasks.post("d", "12");
  CHECK_EQ(tasks.refused, Words{"a8", "a7"});
  tasks.post("a", "9");
  CHECK_EQ(tasks.refused, Words{"a8", "a7", "a9"});
  CHECK_FALSE(tasks.workers.wait_for(0s));
  tasks.gate.release();
  CHECK_EQ(tasks.begun(5), Words{"a1", "a2", "b1", "c1", "d1"});
  tasks.gate.release(9);
}

TEST_CASE("clients whose tasks wait take turns") {
  NamedTasks tasks(1, 9);
  tasks.post("a", "1");
  CHECK_EQ(tasks.begun(1), Words{"a1"});
  tasks.post("a", "234");
  tasks.post("b", "12");
  tasks.gate.release(6);
  CHECK_EQ(tasks.begun(6), Words{"a1", "a2", "b1", "a3", "b2", "a4"});
}
