#include "base/json_line.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

using namespace glossa;

TEST_CASE("a line has its keys in order, and every kind of value") {
  JsonLine inner;
  inner.add("x", 1);
  JsonLine line;
  line.add("whole", std::int64_t{-5}).add("most", std::numeric_limits<std::uint64_t>::max());
  line.add("half", 0.5).add("nan", std::numeric_limits<double>::quiet_NaN());
  line.add("infinite", -std::numeric_limits<double>::infinity()).add("yes", true).add("no", false);
  line.add("shape", std::vector<std::uint64_t>{2, 3}).add("scalar", std::vector<std::uint64_t>{});
  line.add("list", std::vector<JsonLine>{inner, inner});
  CHECK_EQ(line.text(),
           R"({"whole":-5,"most":18446744073709551615,"half":0.5,"nan":null,"infinite":null,"yes":true,"no":false,)"
           R"("shape":[2,3],"scalar":[],"list":[{"x":1},{"x":1}]})");
  CHECK_EQ(JsonLine().text(), "{}");
  JsonLine more;
  more.add("inner", inner).add_json("as it is", "[1,{}]");
  more.add_numbers("curve", std::vector<double>{1, -0.25, 1.0 / 3, 1e30, std::numeric_limits<double>::quiet_NaN()});
  CHECK_EQ(more.text(), R"({"inner":{"x":1},"as it is":[1,{}],"curve":[1,-0.25,0.333333333,1e+30,null]})");
}

TEST_CASE("keys and texts are escaped, and invalid UTF-8 becomes U+FFFD") {
  JsonLine line;
  line.add("a\"b", "c\\d\n").add("file", std::string_view("\xFFx\u00fc"));
  CHECK_EQ(line.text(), "{\"a\\\"b\":\"c\\\\d\\n\",\"file\":\"\xEF\xBF\xBDx\u00fc\"}");
}

TEST_CASE("a double reads back as itself") {
  for (const double value : {0.1, 1.0 / 3, 2.2250738585072014e-308, 1.7976931348623157e308, -0.0}) {
    JsonLine line;
    line.add("x", value);
    const std::string text = line.text();
    CHECK_EQ(std::stod(text.substr(5)), value);
  }
}

TEST_CASE("the numbers of an object are found, and nothing else passes for one") {
  const auto numbers = numbers_in_json(R"({"a":1,"b":-0.5,"c":null,"d":true,"e":"text","f":[1],"g":{"h":2}})");
  REQUIRE(numbers);
  CHECK_EQ(numbers->size(), 4);
  CHECK_EQ(numbers->at("a"), 1);
  CHECK_EQ(numbers->at("b"), -0.5);
  CHECK(std::isnan(numbers->at("c")));
  CHECK_EQ(numbers->at("d"), 1);
  for (const char* line : {"", "rubbish", "37", "[37]", "null", R"({"a":1)"}) CHECK_FALSE(numbers_in_json(line));
  CHECK(numbers_in_json("{}")->empty());
  CHECK_FALSE(numbers_in_json(std::string_view("{}\0", 3)));
}
