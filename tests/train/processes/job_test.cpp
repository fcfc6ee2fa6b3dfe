#include "train/processes/job.h"

#include <doctest/doctest.h>

#include "base/check.h"

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

TEST_CASE("an error is packed with all its parts") {
  for (const Error::Kind kind : {Error::Kind::misuse, Error::Kind::failure})
    for (const Error::Parts& parts :
         {Error::Parts::of("a] b", "expected {}; got {}. Hint: {}", "x] ", "; got ", ". Hint"),
          Error::Parts::of("", "expected 'ü'; not found"),
          Error::Parts{"c.yaml:3", "model.width", "a number", "", "", ""},
          Error::Parts::of("here", "cannot open\n{}. Hint: none", "")}) {
      const Error before(kind, parts), after = unpacked_error(packed(before));
      CHECK(after.kind() == kind);
      CHECK_EQ(std::string(after.what()), before.what());
      CHECK_EQ(after.parts().key, parts.key);
      CHECK_EQ(after.parts().got, parts.got);
      CHECK_EQ(after.parts().problem, parts.problem);
    }
}
