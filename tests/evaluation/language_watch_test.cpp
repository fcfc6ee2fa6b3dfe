#include <doctest/doctest.h>

#include <string>

#include "evaluation/text_watch.h"
#include "tests/evaluation/warnings.h"

using namespace glossa;

namespace {

/// True if a run that translates English to French warns of this many equal lines, before or at their end.
bool warns(int lines, const std::string& line, bool ends = true) {
  const glossa::testing::Warnings warnings;
  LanguageWatch watch("en", "fr", "text");
  for (int i = 0; i < lines; ++i) watch.add(line);
  if (ends) watch.compare();
  return warnings.count() > 0;
}

}  // namespace

TEST_CASE("text in the language that a run translates to gives a warning") {
  CHECK(warns(10, "Le chien est dans la maison."));
  CHECK_FALSE(warns(10, "The dog is in the house."));
  CHECK_FALSE(warns(9, "Le chien est dans la maison."));  // too few to judge
  CHECK_FALSE(warns(10, "42"));
  CHECK_FALSE(warns(0, ""));
}

TEST_CASE("a stream is judged after 200 lines, once") {
  CHECK_FALSE(warns(199, "Le chien est dans la maison.", false));
  CHECK(warns(200, "Le chien est dans la maison.", false));
  const glossa::testing::Warnings warnings;
  LanguageWatch watch("en", "fr", "text");
  for (int i = 0; i < 500; ++i) watch.add(i < 200 ? "The dog is in the house." : "Le chien est dans la maison.");
  watch.compare();
  CHECK_EQ(warnings.count(), 0);
}
