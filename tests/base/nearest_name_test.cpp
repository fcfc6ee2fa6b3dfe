#include "base/nearest_name.h"

#include <doctest/doctest.h>

#include <filesystem>

#include "tests/support/temporary_folder.h"

using namespace glossa;

TEST_CASE("the nearest name is found, and a distant one is not suggested") {
  const std::vector<std::string> names{"model.heads", "model.width", "data.train"};
  CHECK(nearest_name("model.hedas", names) == "model.heads");
  CHECK(nearest_name("mdel.widht", names) == "model.width");
  CHECK(nearest_name("zzzzzzzzzzz", names).empty());
  CHECK(nearest_name("--out", {"--set", "--output"}) == "--output");
  CHECK(nearest_name("--reference", {"--force", "--set"}).empty());
}

TEST_CASE("a distance counts characters, not bytes") {
  CHECK(nearest_name("eleve", {"élève"}) == "élève");
  CHECK(nearest_name("日本", {"中国"}).empty());
  CHECK(nearest_name("日本", {"日本語のテキスト"}).empty());  // two characters are no abbreviation
}

TEST_CASE("the nearest path differs in any of its parts") {
  const glossa::testing::TemporaryFolder folder;
  std::filesystem::create_directories(folder / "Läufe/größer");
  CHECK(nearest_path(folder / "Laufe/groser") == folder / "Läufe/größer");
  CHECK(nearest_path(folder / "Laufe/zzzzzz") == "");
}

TEST_CASE("the nearest file or folder is in the same folder") {
  const glossa::testing::TemporaryFolder folder;
  const std::string recipe = folder.write("toy.yaml", "");
  std::filesystem::create_directory(folder / "demo");
  CHECK(nearest_path(folder / "toi.yaml") == recipe);
  CHECK(nearest_path(folder / "dmo") == folder / "demo");
  CHECK(nearest_path(folder / "dmo/") == folder / "demo");
  CHECK(nearest_path(folder / "zzzzzz") == "");
  CHECK(nearest_path(folder / "missing/toy.yaml") == "");
  CHECK(nearest_path("") == "");
}
