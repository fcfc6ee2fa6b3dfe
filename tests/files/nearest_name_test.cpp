#include "files/nearest_name.h"

#include <doctest/doctest.h>

using namespace glossa;

TEST_CASE("the nearest name is found, and a distant one is not suggested") {
  const std::vector<std::string> names{"model.heads", "model.width", "data.train"};
  CHECK(nearest_name("model.hedas", names) == "model.heads");
  CHECK(nearest_name("mdel.widht", names) == "model.width");
  CHECK(nearest_name("zzzzzzzzzzz", names).empty());
  CHECK(nearest_name("--out", {"--set", "--output"}) == "--output");
  CHECK(nearest_name("--reference", {"--force", "--set"}).empty());
}
