#include <doctest/doctest.h>

#include <string>

#include "evaluation/text_watch.h"
#include "tests/evaluation/warnings.h"

using namespace glossa;

namespace {

std::string line_of(int words) {
  std::string line;
  for (int i = 0; i < words; ++i) line += "word ";
  return line;
}

/// True if a run of short text, with at most `usual` words, warns of `lines` lines with `words` each.
bool warns(std::int64_t usual, int lines, int words) {
  const glossa::testing::Warnings warnings;
  LengthWatch watch(usual, "text");
  for (int i = 0; i < lines; ++i) watch.add(line_of(words));
  watch.compare();
  return warnings.count() > 0;
}

}  // namespace

TEST_CASE("text of which half the lines are longer than 95 % of the training text gives a warning") {
  CHECK(warns(5, 10, 6));
  CHECK(warns(5, 1000, 6));
  CHECK_FALSE(warns(5, 10, 5));
  CHECK_FALSE(warns(5, 9, 60));   // too few to judge
  CHECK_FALSE(warns(0, 100, 6));  // unknown
}

TEST_CASE("the median decides, and blank lines do not count") {
  const glossa::testing::Warnings warnings;
  LengthWatch watch(5, "text");
  for (int i = 0; i < 20; ++i) watch.add(line_of(i < 10 ? 50 : 2));
  for (int i = 0; i < 50; ++i) watch.add(line_of(50 * (i % 2)) + " ");
  watch.compare();
  CHECK_EQ(warnings.count(), 1);
  LengthWatch half(5, "text");
  for (int i = 0; i < 20; ++i) half.add(line_of(i % 2 == 0 ? 50 : 2));
  for (int i = 0; i < 20; ++i) half.add(" ");
  half.compare();
  CHECK_EQ(warnings.count(), 1);
}

TEST_CASE("a stream is judged after 100 lines, 1000 and so on, before it ends") {
  const glossa::testing::Warnings warnings;
  LengthWatch early(5, "text"), late(5, "text");
  for (int i = 0; i < 99; ++i) early.add(line_of(9));
  CHECK_EQ(warnings.count(), 0);
  early.add(line_of(9));
  CHECK_EQ(warnings.count(), 1);
  for (int i = 0; i < 999; ++i) late.add(line_of(i < 120 ? 2 : 9));
  CHECK_EQ(warnings.count(), 1);
  late.add(line_of(9));
  CHECK_EQ(warnings.count(), 2);
}
