#include "base/parallel.h"

#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/start_thread.h"
#include "tests/support/few_threads.h"
#include "tests/support/restore_threads.h"

using namespace glossa;
using testing::RestoreThreads;

TEST_CASE_FIXTURE(RestoreThreads, "every piece runs once, with any number of threads") {
  for (const int team : {1, 2, 3, 8}) {
    set_threads(team);
    CHECK(threads() == team);
    std::vector<int> done(1000);
    parallel_for(1000, [&](Index i) { ++done[i]; });
    CHECK(done == std::vector<int>(1000, 1));
  }
}

TEST_CASE_FIXTURE(RestoreThreads, "ranges cover everything and do not depend on the number of threads") {
  for (const int team : {1, 4}) {
    set_threads(team);
    std::vector<Index> end_of(23, -1);
    parallel_ranges(23, 5, [&](Index begin, Index end) {
      for (Index i = begin; i < end; ++i) end_of[i] = end;
    });
    for (Index i = 0; i < 23; ++i) CHECK(end_of[i] == std::min<Index>(23, i / 5 * 5 + 5));
  }
}

TEST_CASE_FIXTURE(RestoreThreads, "of several errors, the first range's reaches the caller, after all ranges") {
  for (const int team : {1, 2, 4}) {
    set_threads(team);
    std::vector<int> done(100);
    std::string message;
    try {
      parallel_ranges_in_order(100, 7, [&](Index begin, Index end) {
        for (Index i = begin; i < end; ++i) ++done[i];
        if (begin > 30) throw std::runtime_error(std::to_string(begin));
      });
    } catch (const std::runtime_error& error) {
      message = error.what();
    }
    CHECK(message == "35");
    CHECK(done == std::vector<int>(100, 1));
  }
}

TEST_CASE("an empty loop makes no calls") {
  parallel_for(0, [](Index) { FAIL_CHECK("called"); });
  parallel_ranges(0, 8, [](Index, Index) { FAIL_CHECK("called"); });
}

TEST_CASE_FIXTURE(RestoreThreads, "a nested loop stays on its thread") {
  set_threads(4);
  std::vector<int> done(64);
  parallel_for(8, [&](Index i) {
    const int outer = thread_index();
    parallel_for(8, [&](Index j) { done[i * 8 + j] = thread_index() == outer ? 1 : 2; });
  });
  CHECK(done == std::vector<int>(64, 1));
}

TEST_CASE_FIXTURE(RestoreThreads, "an exception thrown by a piece reaches the caller") {
  for (const int team : {1, 3}) {
    set_threads(team);
    CHECK_THROWS_AS(parallel_for(10, [](Index i) { check(i != 5, "piece", "expected another piece; got 5"); }), Error);
  }
}

TEST_CASE_FIXTURE(RestoreThreads, "the number of threads is at least one") {
  CHECK(available_threads() >= 1);
  CHECK_THROWS_AS(set_threads(0), Error);
}

TEST_CASE("OMP_NUM_THREADS limits the usual number of threads") {
  const char* const before = std::getenv("OMP_NUM_THREADS");
  const std::string kept = before ? before : "";
  const struct {
    const char* value;
    int threads;
  } cases[] = {{"1", 1}, {"3", 3},  {"3,2", 3}, {"8", 8}, {"64", 8},
               {"0", 8}, {"-1", 8}, {"all", 8}, {"", 8},  {"9999999999999999999", 8}};
  for (const auto& limit : cases) {
    CAPTURE(limit.value);
    setenv("OMP_NUM_THREADS", limit.value, 1);
    CHECK_EQ(usual_threads(8), limit.threads);
  }
  unsetenv("OMP_NUM_THREADS");
  CHECK_EQ(usual_threads(8), 8);
  CHECK_EQ(usual_threads(), available_threads());
  if (before) setenv("OMP_NUM_THREADS", kept.c_str(), 1);
}

TEST_CASE_FIXTURE(RestoreThreads, "a forked child has its own team") {
  set_threads(3);
  std::vector<int> done(100);
  const auto count = [&](Index i) { ++done[i]; };
  parallel_for(100, count);
  const pid_t child = fork();
  if (child == 0) {
    parallel_for(100, count);
    set_threads(2);  // ends its team, whose threads are the parent's
    parallel_for(100, count);
    _exit(done == std::vector<int>(100, 3) ? 0 : 1);
  }
  int status = -1;
  REQUIRE_EQ(waitpid(child, &status, 0), child);
  CHECK_EQ(status, 0);
}

TEST_CASE_FIXTURE(RestoreThreads, "a team that the system refuses is an Error, and later loops run") {
  const char* const refusal =
      "[threads] cannot start a thread: Resource temporarily unavailable. Hint: use fewer threads";
  for (const std::size_t granted : {0, 1, 3}) {
    CAPTURE(granted);
    set_threads(9);
    std::vector<int> done(100);
    const auto piece = [&](Index i) { ++done[i]; };
    {
      const glossa::testing::FewThreads few(granted);
      CHECK_THROWS_WITH_AS(parallel_for(100, piece), doctest::Contains(refusal), Error);
      CHECK_THROWS_WITH_AS(parallel_for(100, piece), doctest::Contains(refusal), Error);  // the helpers have ended
      set_threads(static_cast<int>(granted) + 1);
      CHECK_NOTHROW(parallel_for(100, piece));
    }
    CHECK(done == std::vector<int>(100, 1));
    set_threads(2);  // ends the helpers
    parallel_for(100, piece);
    CHECK(done == std::vector<int>(100, 2));
  }
}

TEST_CASE("a thread that the system refuses is an Error, of either class") {
  bool ran = false;
  start_thread([&] { ran = true; }).join();
  CHECK(ran);
  const glossa::testing::FewThreads none(0);
  CHECK_THROWS_WITH_AS(start_thread([] {}), doctest::Contains("[threads] cannot start a thread: "), Error);
  CHECK_THROWS_WITH_AS(start_thread<std::jthread>([] {}), doctest::Contains("[threads] cannot start"), Error);
}
