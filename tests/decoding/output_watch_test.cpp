#include "decoding/output_watch.h"

#include <doctest/doctest.h>
#include <fmt/core.h>

using namespace glossa;

namespace {

/// Doubt about the translations of ten lines, of which `equal` are `output`.
std::string doubt(int equal, const std::string& output, int lines = 10) {
  OutputWatch watch;
  for (int i = 0; i < lines; ++i) watch.add(fmt::format("line {}", i), i < equal ? output : fmt::format("Zeile {}", i));
  return watch.doubt();
}

}  // namespace

TEST_CASE("translations that are mostly empty or equal give a doubt") {
  CHECK_EQ(doubt(0, ""), "");
  CHECK_EQ(doubt(5, ""), "");
  CHECK_EQ(doubt(9, "", 9), "");
  CHECK_EQ(doubt(6, ""),
           "6 of 10 different lines have an empty translation: the model can hardly translate. Hint: train longer or "
           "with more text, and check that the validation loss falls");
  CHECK(doubt(10, "ja").starts_with("10 of 10 different lines have the same translation: "));
}

TEST_CASE("equal or blank lines give no doubt, and only the first thousand lines count") {
  OutputWatch watch;
  for (int i = 0; i < 20; ++i) {
    watch.add("equal", "gleich");
    watch.add("  ", "");
  }
  CHECK_EQ(watch.doubt(), "");
  for (int i = 0; i < 5000; ++i) watch.add(fmt::format("line {}", i), i < 700 ? "" : fmt::format("Zeile {}", i));
  CHECK(watch.doubt().starts_with("700 of 1000 different lines "));
}
