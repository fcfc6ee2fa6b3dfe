#include <doctest/doctest.h>

#include <memory>
#include <utility>

#include "app/serve/connection.h"

using glossa::serve::MemoryShare;

TEST_CASE("a share of memory counts until it is destroyed, wherever it is moved") {
  const auto sum = std::make_shared<MemoryShare::Sum>(0);
  MemoryShare first(sum), second(sum);
  first.set(5);
  second.set(7);
  first.set(3);
  CHECK_EQ(*sum, 10);
  {
    const MemoryShare moved(std::move(first));
    CHECK_EQ(*sum, 10);
    CHECK_EQ(moved.bytes(), 3);
    first.set(20);  // it may be used again
    CHECK_EQ(*sum, 30);
  }
  CHECK_EQ(*sum, 27);
}
