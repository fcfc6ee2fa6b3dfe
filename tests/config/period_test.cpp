#include "config/period.h"

#include <doctest/doctest.h>

#include <string>

using glossa::parse_period;
using glossa::Period;
using glossa::Progress;
using Unit = glossa::Period::Unit;

TEST_CASE("a period has a number, a multiplier and a unit") {
  CHECK(parse_period("500u", Unit::epochs) == Period{500, Unit::updates});
  CHECK(parse_period("2e", Unit::updates) == Period{2, Unit::epochs});
  CHECK(parse_period("0.5e", Unit::updates) == Period{0.5, Unit::epochs});
  CHECK(parse_period("10Mt", Unit::updates) == Period{1e7, Unit::target_tokens});
  CHECK(parse_period("1.5Ku", Unit::updates) == Period{1500, Unit::updates});
  CHECK(parse_period("4.35K", Unit::updates) == Period{4350, Unit::updates});
  CHECK(parse_period("1.001K", Unit::updates) == Period{1001, Unit::updates});  // 1.001 * 1000 is 1000.9999999999999
  CHECK(parse_period("3Gt", Unit::updates) == Period{3e9, Unit::target_tokens});
}

TEST_CASE("a plain number takes the unit of the option") {
  CHECK(parse_period("20", Unit::updates) == Period{20, Unit::updates});
  CHECK(parse_period("20", Unit::epochs) == Period{20, Unit::epochs});
  CHECK(parse_period("0e", Unit::updates) == Period{0, Unit::updates});
}

TEST_CASE("text that is not a period is refused") {
  for (const char* text : {"", "u", "-1u", "-0", "1,5u", "1 u", "5x", "5uu", "5MKu", "5um", "1e5", "nan", "inf", "0.5u",
                           "1.0005Kt", "1000001Gt", "99999999999999999999", "+5", "0x10"}) {
    CAPTURE(text);
    CHECK_FALSE(parse_period(text, Unit::updates));
  }
}

TEST_CASE("the text of a period reads back to it") {
  for (const char* text :
       {"0", "1u", "500u", "1500u", "4Ku", "10Mt", "1Gt", "2e", "0.5e", "0.0000001e", "123456789t"}) {
    const auto period = parse_period(text, Unit::updates);
    REQUIRE(period);
    CHECK(to_string(*period) == text);
  }
  CHECK(to_string(Period{10000, Unit::updates}) == "10Ku");
}

TEST_CASE("a period is due when a multiple of it is crossed") {
  const Period updates{50, Unit::updates}, epochs{2, Unit::epochs}, tokens{1000, Unit::target_tokens};
  const Progress at_49{49, 1.9, 999}, at_50{50, 2.0, 1000}, at_51{51, 2.1, 1001}, later{99, 3.9, 3500};
  for (const Period& period : {updates, epochs, tokens}) {
    CHECK(period.due(at_49, at_50));
    CHECK_FALSE(period.due(at_50, at_51));
  }
  CHECK_FALSE(updates.due(at_50, later));
  CHECK_FALSE(epochs.due(at_50, later));
  CHECK(tokens.due(at_50, later));
}

TEST_CASE("progress through a period is counted in its unit") {
  const Progress at{30, 1.5, 800};
  CHECK(Period{40, Unit::updates}.part(at) == 0.75);
  CHECK(Period{3, Unit::epochs}.part(at) == 0.5);
  CHECK(Period{400, Unit::target_tokens}.part(at) == 2);
  CHECK(Period{}.part(at) == 0);
}

TEST_CASE("a period falls due as often as it fits") {
  const Period period{7, Unit::target_tokens};
  int times = 0;
  Progress before;
  for (int update = 1; update <= 100; ++update) {
    const Progress after{update, 0, before.target_tokens + 3};
    times += period.due(before, after);
    before = after;
  }
  CHECK(times == 300 / 7);
}

TEST_CASE("a limit is reached at its amount and never at 0") {
  const Period limit{100, Unit::updates};
  CHECK_FALSE(limit.reached({99, 5, 5}));
  CHECK(limit.reached({100, 0, 0}));
  CHECK(Period{2, Unit::epochs}.reached({1, 2, 0}));
  const Period never{0, Unit::updates};
  CHECK(never.never());
  CHECK_FALSE(never.reached({1000000, 0, 0}));
  CHECK_FALSE(never.due({0, 0, 0}, {1000000, 0, 0}));
}
