#include "data/prepared/spooled_text.h"

#include <doctest/doctest.h>

#include <filesystem>

#include "tests/data/data_test.h"
#include "tests/support/small_disk.h"

using namespace glossa;
using namespace glossa::testing;

TEST_CASE("spooled pairs are those that were added, with their lines and parts, in files without a name") {
  const TemporaryFolder folder;
  SpooledText text(folder.path());
  std::vector<std::string> source, target;
  for (int i = 0; i < 300; ++i) {
    source.push_back(std::string(static_cast<std::size_t>(i % 50), 'a') + std::to_string(i));
    target.push_back(i % 7 == 0 ? "" : "t" + std::to_string(i));
  }
  ParallelCorpus first = corpus_of(source, target), second = corpus_of({"x"}, {"y"});
  for (int i = 0; i < 300; ++i) first.lines.push_back(2 * i);
  second.lines = {4'000'000'000};
  text.add(first, 0);
  text.add(second, 1);
  text.finish();
  CHECK(std::filesystem::is_empty(folder.path()));
  REQUIRE_EQ(text.size(), 301);
  for (std::size_t i = 0; i < 300; ++i) {
    CHECK_EQ(text.source(i), source[i]);
    CHECK_EQ(text.target(i), target[i]);
    CHECK_EQ(text.line(i), 2 * static_cast<std::int64_t>(i));
    CHECK_EQ(text.part(i), 0);
  }
  CHECK_EQ(text.source(300), "x");
  CHECK_EQ(text.line(300), 4'000'000'000);
  CHECK_EQ(text.part(300), 1);
}

TEST_CASE("a full disk is an error that names the remedy") {
  const TemporaryFolder folder;
  const SmallDisk disk(folder / "disk", "256k");
  if (!disk.mounted()) return;
  SpooledText text(folder / "disk");
  const ParallelCorpus block = corpus_of({std::string(100'000, 'a')}, {std::string(100'000, 'b')});
  const std::string message = error_of<Error>([&] {
    for (int i = 0; i < 20; ++i) text.add(block, 0);
    text.finish();
  });
  CHECK(contains(message, "cannot write the file: No space left on device"));
  CHECK(contains(message, "use a folder on another disk"));
}
