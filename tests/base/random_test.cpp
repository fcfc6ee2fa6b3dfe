#include "base/random.h"

#include <doctest/doctest.h>

#include <cmath>
#include <set>
#include <vector>

using namespace glossa;

TEST_CASE("Philox4x32-10 gives the known answers of Random123") {
  constexpr std::uint32_t ones = 0xFFFFFFFF;
  CHECK(philox({0, 0, 0, 0}, {0, 0}) == PhiloxCounter{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
  CHECK(philox({ones, ones, ones, ones}, {ones, ones}) ==
        PhiloxCounter{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd});
  CHECK(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}) ==
        PhiloxCounter{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1});
}

TEST_CASE("a stream repeats for the same name and seed, and differs for others") {
  RandomStream a(7, "weights"), same(7, "weights"), other_name(7, "shuffle"), other_seed(8, "weights");
  bool name_differs = false, seed_differs = false;
  for (int i = 0; i < 100; ++i) {
    const std::uint32_t bits = a.bits();
    CHECK(bits == same.bits());
    name_differs |= bits != other_name.bits();
    seed_differs |= bits != other_seed.bits();
  }
  CHECK(name_differs);
  CHECK(seed_differs);
}

TEST_CASE("uniform numbers fill [0, 1) evenly") {
  RandomStream random(1, "uniform");
  constexpr int count = 100000;
  double sum = 0, squares = 0;
  for (int i = 0; i < count; ++i) {
    const double u = random.uniform();
    REQUIRE(u >= 0);
    REQUIRE(u < 1);
    sum += u;
    squares += u * u;
  }
  CHECK(sum / count == doctest::Approx(0.5).epsilon(0.01));
  CHECK(squares / count == doctest::Approx(1.0 / 3).epsilon(0.01));
}

TEST_CASE("below(n) draws each number equally often, and no other") {
  RandomStream random(1, "below");
  std::vector<int> counts(7);
  for (int i = 0; i < 70000; ++i) ++counts.at(random.below(7));
  for (const int count : counts) CHECK(std::abs(count - 10000) < 400);  // four standard deviations
  CHECK(random.below(1) == 0);
}

TEST_CASE("normal numbers have mean 0, variance 1 and kurtosis 3") {
  RandomStream random(1, "normal");
  constexpr int count = 100000;
  double sum = 0, squares = 0, fourths = 0;
  for (int i = 0; i < count; ++i) {
    const double z = random.normal();
    sum += z;
    squares += z * z;
    fourths += z * z * z * z;
  }
  CHECK(std::abs(sum / count) < 0.013);
  CHECK(squares / count == doctest::Approx(1).epsilon(0.02));
  CHECK(fourths / count == doctest::Approx(3).epsilon(0.05));
}

TEST_CASE("keys differ with seed and purpose") {
  std::set<PhiloxKey> keys;
  for (std::uint64_t seed = 0; seed < 30; ++seed)
    for (std::uint64_t update = 0; update < 30; ++update) keys.insert(philox_key(seed, update));
  CHECK(keys.size() == 900);
}
