#include "train/tensorboard/record.h"

#include <doctest/doctest.h>

using namespace glossa;

TEST_CASE("written records are read, and none of a torn or damaged rest") {
  const std::string first = as_record("first"), second = as_record(""), third = as_record(std::string(1000, 'x'));
  CHECK_EQ(first.size(), 5 + 16);
  const std::string whole = first + second + third;
  std::string_view rest = whole;
  CHECK_EQ(next_record(rest), "first");
  CHECK_EQ(next_record(rest), "");
  CHECK_EQ(next_record(rest), std::string(1000, 'x'));
  CHECK(rest.empty());
  CHECK_FALSE(next_record(rest));
  for (std::size_t size = 0; size < first.size(); ++size) {
    rest = std::string_view(first).substr(0, size);
    CHECK_FALSE(next_record(rest));
    CHECK_EQ(rest.size(), size);
    CHECK(is_torn(rest));
  }
  for (std::size_t at = 0; at < first.size(); ++at) {
    std::string damaged = whole;
    damaged[at] ^= 1;
    rest = damaged;
    CHECK_FALSE(next_record(rest));
    CHECK_FALSE(is_torn(rest));
  }
}
