#include "autograd/parallel.h"

#include <doctest/doctest.h>

#include <vector>

#include "autograd/check.h"

using namespace glossa;

namespace {

struct RestoreThreads {
  int before = threads();
  ~RestoreThreads() { set_threads(before); }
};

}  // namespace

TEST_CASE_FIXTURE(RestoreThreads, "every piece is done once, whatever the number of threads") {
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

TEST_CASE("nothing to do is done without a call") {
  parallel_for(0, [](Index) { FAIL_CHECK("called"); });
  parallel_ranges(0, 8, [](Index, Index) { FAIL_CHECK("called"); });
}

TEST_CASE_FIXTURE(RestoreThreads, "a loop within a piece stays on its thread") {
  set_threads(4);
  std::vector<int> done(64);
  parallel_for(8, [&](Index i) {
    const int outer = thread_index();
    parallel_for(8, [&](Index j) { done[i * 8 + j] = thread_index() == outer ? 1 : 2; });
  });
  CHECK(done == std::vector<int>(64, 1));
}

TEST_CASE_FIXTURE(RestoreThreads, "a loop within a parallel region of the caller's has the scratch of one thread") {
  set_threads(4);
  parallel_for(64, [](Index) {});  // whose threads the region below may get
  set_threads(1);
  std::vector<int> index(4, -1);
#pragma omp parallel for num_threads(4) schedule(static, 1)
  for (int caller = 0; caller < 4; ++caller) parallel_for(1, [&](Index) { index[caller] = thread_index(); });
  CHECK(index == std::vector<int>(4, 0));
}

TEST_CASE_FIXTURE(RestoreThreads, "what a piece throws comes out") {
  for (const int team : {1, 3}) {
    set_threads(team);
    CHECK_THROWS_AS(parallel_for(10, [](Index i) { check(i != 5, "piece", "expected another"); }), Error);
  }
}

TEST_CASE_FIXTURE(RestoreThreads, "at least one thread") {
  CHECK(available_threads() >= 1);
  CHECK_THROWS_AS(set_threads(0), Error);
}
