// The threads under parallel_for. Also run under ThreadSanitizer.
#include "base/thread_team.h"

#include <doctest/doctest.h>
#include <pthread.h>

#include <chrono>
#include <csignal>

#include "base/parallel.h"
#include "base/random.h"

using namespace glossa;

namespace {

/// Runs piece(i) on the team.
template <class Piece>
void run(ThreadTeam& team, Index count, const Piece& piece) {
  team.run(count, &piece, [](const void* closure, Index i) { (*static_cast<const Piece*>(closure))(i); });
}

void wait_for(const std::atomic<bool>& flag) {
  while (!flag) std::this_thread::yield();
}

/// A signal handler that holds its thread until released, like a kernel with other work. If the team waits for that
/// thread, the handler gives up after a while, so that the test ends and fails.
namespace held {

std::atomic<bool> here, let_go, gave_up;

void handler(int) {
  here = true;
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (!let_go && !gave_up) gave_up = std::chrono::steady_clock::now() > end;
}

}  // namespace held

}  // namespace

TEST_CASE("loops of any length, one after another, do each piece once and end when all are done") {
  RandomStream random(1, "loops");
  for (const int size : {1, 2, 3, 8}) {
    ThreadTeam team(size);
    CHECK_EQ(team.size(), size);
    std::vector<int> done, index;
    for (int loop = 0; loop < 3000; ++loop) {
      const Index count = static_cast<Index>(random.below(loop % 10 == 0 ? 300 : 5));
      done.assign(count, 0);
      index.assign(count, -1);
      run(team, count, [&](Index i) {
        ++done[i];
        index[i] = ThreadTeam::index();
      });
      REQUIRE(done == std::vector<int>(count, 1));
      for (const int i : index) REQUIRE((i >= 0 && i < size));
    }
  }
}

TEST_CASE("the team does not wait for a preempted thread") {
  ThreadTeam team(2);
  std::atomic<bool> both{false};
  std::atomic<pthread_t> helper{};
  while (!both)  // until the helper gets a piece
    run(team, 2, [&](Index) {
      if (ThreadTeam::index() == 1) {
        helper = pthread_self();
        both = true;
      }
    });
  struct sigaction action {};
  action.sa_handler = held::handler;
  struct sigaction before {};
  REQUIRE_EQ(sigaction(SIGUSR2, &action, &before), 0);
  REQUIRE_EQ(pthread_kill(helper, SIGUSR2), 0);
  wait_for(held::here);
  std::vector<int> done(1000);
  for (int loop = 0; loop < 100; ++loop) run(team, 1000, [&](Index i) { ++done[i]; });
  CHECK_FALSE(held::gave_up);
  held::let_go = true;
  CHECK(done == std::vector<int>(1000, 100));
  for (int loop = 0; loop < 100; ++loop) run(team, 1000, [&](Index i) { ++done[i]; });
  CHECK(done == std::vector<int>(1000, 200));
  sigaction(SIGUSR2, &before, nullptr);
}

TEST_CASE("helpers that have gone to sleep are woken for the next loop") {
  ThreadTeam team(2);
  for (int loop = 0; loop < 20; ++loop) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    std::atomic<int> present{0}, indices{0};
    run(team, 2, [&](Index) {  // neither piece ends before the other has begun
      indices += ThreadTeam::index();
      ++present;
      while (present < 2) std::this_thread::yield();
    });
    CHECK_EQ(present, 2);
    CHECK_EQ(indices, 1);
  }
}

TEST_CASE("an exception in a piece is rethrown once the others are done, and the next loop works") {
  ThreadTeam team(3);
  for (int loop = 0; loop < 200; ++loop) {
    std::vector<int> done(50);
    CHECK_THROWS_AS(run(team, 50,
                        [&](Index i) {
                          done[i] = 1;
                          if (i % 7 == 3) throw i;
                        }),
                    Index);
    CHECK(done == std::vector<int>(50, 1));
    CHECK_NOTHROW(run(team, 50, [&](Index i) { ++done[i]; }));
    CHECK(done == std::vector<int>(50, 2));
  }
}

TEST_CASE("a loop that begins while another runs stays on its thread") {
  const int before = threads();
  set_threads(2);
  std::atomic<bool> begun{false}, ended{false};
  std::thread other([&] {
    wait_for(begun);
    const std::thread::id own = std::this_thread::get_id();
    std::vector<int> done(100);
    parallel_for(100, [&](Index i) { done[i] = std::this_thread::get_id() == own && thread_index() == 0 ? 1 : 2; });
    CHECK(done == std::vector<int>(100, 1));
    ended = true;
  });
  parallel_for(2, [&](Index) {
    begun = true;
    wait_for(ended);
  });
  other.join();
  set_threads(before);
}
