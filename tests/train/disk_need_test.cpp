#include <doctest/doctest.h>

#include "base/check.h"
#include "train/start_check.h"

using namespace glossa;

TEST_CASE("a disk that is too small for a run's checkpoints gives a warning, and an error if none fits") {
  constexpr double mib = 1 << 20;
  CHECK(check_disk("run", 4, 10 * mib, 40 * mib).empty());
  CHECK(check_disk("run", 0, 10 * mib, 0).empty());  // a resumed run replaces old ones
  CHECK(
      check_disk("run", 4, 10 * mib, 39 * mib) ==
      "the run's checkpoints need 40.0 MiB more at run, 10.0 MiB each, but only 39.0 MiB are free: training ends when "
      "the disk is full. Hint: free some space, choose another --run, or lower train.keep_checkpoints");
  CHECK_THROWS_WITH_AS(check_disk("run", 4, 10 * mib, 9 * mib),
                       "[run] expected 10.0 MiB of disk space for a checkpoint; got 9.0 MiB. Hint: free some space, "
                       "choose another --run",
                       Error);
}
