#include "train/processes/job.h"

#include <doctest/doctest.h>

#include "autograd/check.h"
#include "train/processes/packed.h"

using namespace glossa;

TEST_CASE("a process on its own is a job of one, whose calls do nothing") {
  const Job alone;
  CHECK(alone.rank() == 0);
  CHECK(alone.count() == 1);
  CHECK(alone.is_first());
  CHECK_FALSE(alone.is_several());
  std::vector<double> numbers{1, 2};
  alone.merge(numbers);
  CHECK(numbers == std::vector<double>{1, 2});
  CHECK(alone.broadcast("text") == "text");
  CHECK(alone.gather("own") == std::vector<std::string>{"own"});
  CHECK_NOTHROW(alone.agree("anything", "text"));
  CHECK_NOTHROW(alone.meet());
  CHECK_THROWS_WITH_AS(alone.together([] { fail("place", "expected this; got that"); }),
                       "[place] expected this; got that", Error);
  CHECK(alone.part_of(7).begin == 0);
  CHECK(alone.part_of(7).end == 7);
}

TEST_CASE("packed values are unpacked again") {
  const std::vector<int> some{1, -2, 3}, none;
  Packed packed;
  packed.put(some).put(0.5).put(none).put(true);
  std::vector<int> first, second{9};
  double number = 0;
  bool flag = false;
  Unpacked from(packed.bytes());
  from.take(first).take(number).take(second).take(flag);
  CHECK(from.is_empty());
  CHECK(first == some);
  CHECK(number == 0.5);
  CHECK(second.empty());
  CHECK(flag);
}
