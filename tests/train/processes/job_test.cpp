#include "train/processes/job.h"

#include <doctest/doctest.h>

#include "base/check.h"
#include "train/processes/packed.h"

using namespace glossa;
using namespace std::string_literals;

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

TEST_CASE("an error is packed with all its parts") {
  for (const Error::Kind kind : {Error::Kind::misuse, Error::Kind::failure})
    for (const Error::Parts& parts :
         {Error::Parts::of("a] b", "expected {}; got {}. Hint: {}", "x] ", "; got ", ". Hint"),
          Error::Parts::of("", "expected 'ü'; not found"),
          Error::Parts{"c.yaml:3", "model.width", "a number", "", "", ""},
          Error::Parts::of("here", "cannot open\n{}. Hint: none", "")}) {
      const Error before(kind, parts), after = Unpacked(Packed().put(before).bytes()).take_error();
      CHECK(after.kind() == kind);
      CHECK_EQ(std::string(after.what()), before.what());
      CHECK_EQ(after.parts().key, parts.key);
      CHECK_EQ(after.parts().got, parts.got);
      CHECK_EQ(after.parts().problem, parts.problem);
    }
}

TEST_CASE("packed values are unpacked again") {
  const std::vector<int> some{1, -2, 3}, none;
  Packed packed;
  const std::string text = "a\0] b; got"s;
  packed.put(some).put(0.5).put(none).put(true).put(text);
  std::vector<int> first, second{9};
  double number = 0;
  bool flag = false;
  Unpacked from(packed.bytes());
  std::string read;
  from.take(first).take(number).take(second).take(flag).take(read);
  CHECK(from.is_empty());
  CHECK(first == some);
  CHECK(number == 0.5);
  CHECK(second.empty());
  CHECK(flag);
  CHECK(read == text);
}
