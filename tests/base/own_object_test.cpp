#include "base/own_object.h"

#include <doctest/doctest.h>

TEST_CASE("the object that contains this code is the program of the tests") {
  CHECK(glossa::own_object() == std::filesystem::read_symlink("/proc/self/exe"));
}
