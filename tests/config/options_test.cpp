#include "config/options.h"

#include <doctest/doctest.h>

#include <clocale>
#include <locale>
#include <string>
#include <vector>

using namespace glossa;

namespace {

GivenValue scalar(std::string text) { return text; }
const GivenValue nothing = GivenValue::Kind::nothing;
const GivenValue nested = GivenValue::Kind::nested;

struct CommaDecimals : std::numpunct<char> {
  char do_decimal_point() const override { return ','; }
};

}  // namespace

TEST_CASE("booleans are only true and false") {
  const auto rule = true_or_false();
  CHECK(rule.read(scalar("true")) == true);
  CHECK(rule.read(scalar("false")) == false);
  for (const char* text : {"yes", "no", "on", "off", "True", "1", "0", ""}) CHECK_FALSE(rule.read(scalar(text)));
  CHECK_FALSE(rule.read(nothing));
  CHECK(rule.text(true) == "true");
}

TEST_CASE("whole numbers lie in their interval") {
  const auto rule = whole("[1, 4096]");
  CHECK(rule.accepts == "a whole number in [1, 4096]");
  CHECK(rule.read(scalar("1")) == 1);
  CHECK(rule.read(scalar("4096")) == 4096);
  for (const char* text : {"0", "-1", "4097", "1.0", "1e3", "1,5", "", " 1", "0x10", "99999999999999999999", "nan"})
    CHECK_FALSE(rule.read(scalar(text)));
  CHECK_FALSE(rule.read(nested));
  CHECK(rule.text(4096) == "4096");
}

TEST_CASE("numbers are finite and lie in their interval, ends open or closed") {
  const auto rule = number("[0, 1)");
  CHECK(rule.accepts == "a number in [0, 1)");
  CHECK(rule.read(scalar("0")) == 0.0);
  CHECK(rule.read(scalar("1e-3")) == 1e-3);
  for (const char* text : {"1", "-0.1", "nan", "inf", "-inf", "1e999", "1,5", "0,5", "", "0.5x", "half"})
    CHECK_FALSE(rule.read(scalar(text)));
  CHECK_FALSE(number("(0, 1]").read(scalar("0")));
  CHECK(number("(0, 1]").read(scalar("1")) == 1.0);
}

TEST_CASE("the text of a number reads back to the same bits") {
  const auto rule = number("[-1000000, 1000000]");
  for (const double value : {0.0, 0.1, 1e-9, 1.0 / 3, 1e-300, -123456.789, 1e6}) {
    CAPTURE(value);
    CHECK(rule.read(scalar(rule.text(value))) == value);
  }
  CHECK(rule.text(1e-9) == "1e-9");
  CHECK(rule.text(1e-10) == "1e-10");
  CHECK(rule.text(0.001) == "0.001");
}

TEST_CASE("no locale changes a number") {
  const std::locale before = std::locale::global(std::locale(std::locale(), new CommaDecimals));
  std::setlocale(LC_ALL, "de_DE.UTF-8");
  const auto rule = number("[0, 10]");
  CHECK(rule.read(scalar("1.5")) == 1.5);
  CHECK_FALSE(rule.read(scalar("1,5")));
  CHECK(rule.text(1.5) == "1.5");
  CHECK(to_string(*parse_period("0.5e", Period::Unit::updates)) == "0.5e");
  std::setlocale(LC_ALL, "C");
  std::locale::global(before);
}

TEST_CASE("an optional number may be null") {
  const auto rule = or_null(number("[0, 1)"));
  for (const GivenValue& unset : {nothing, scalar("null")}) {
    const auto value = rule.read(unset);
    REQUIRE(value.has_value());
    CHECK_FALSE(value->has_value());
  }
  CHECK(rule.read(scalar("0.5")).value() == 0.5);
  CHECK_FALSE(rule.read(scalar("2")));
  CHECK_FALSE(rule.read(scalar("")));
  CHECK(rule.text(std::nullopt) == "null");
  CHECK(rule.text(0.5) == "0.5");
}

TEST_CASE("text is quoted if YAML could take it for something else") {
  const auto rule = text("a path");
  CHECK(rule.read(scalar("a b")) == "a b");
  CHECK(rule.read(nothing) == "");
  CHECK_FALSE(rule.read(nested));
  CHECK_FALSE(text("a suffix", false).read(nothing));
  CHECK(rule.text("data/multi30k.train-1") == "data/multi30k.train-1");
  CHECK(rule.text("/tmp/x") == "/tmp/x");
  CHECK(rule.text("") == "\"\"");
  CHECK(rule.text("no") == "\"no\"");
  CHECK(rule.text("Null") == "\"Null\"");
  CHECK(rule.text("12") == "\"12\"");
  CHECK(rule.text("toy:5") == "\"toy:5\"");
  CHECK(rule.text("say \"\\\"\n") == "\"say \\\"\\\\\\\"\\x0a\"");
}

TEST_CASE("a list of texts is a YAML list or one text with commas") {
  const auto rule = text_list("a list");
  using List = std::vector<std::string>;
  CHECK(rule.read(std::vector<std::string>{"a, b", "c"}) == List{"a, b", "c"});
  CHECK(rule.read(scalar("a*, b")) == List{"a*", "b"});
  CHECK(rule.read(scalar("[a,b,]")) == List{"a", "b"});
  CHECK(rule.read(scalar("")) == List{});
  CHECK(rule.read(nothing) == List{});
  CHECK_FALSE(rule.read(nested));
  CHECK(rule.text({"*bias", "encoder"}) == "[\"*bias\", encoder]");
  CHECK(rule.text({}) == "[]");
}

TEST_CASE("a list of choices is made by name") {
  enum class Fruit { apple, pear, plum };
  const auto rule = choices<Fruit>({"apple", "pear", "plum"});
  using List = std::vector<Fruit>;
  CHECK(rule.accepts == "a list of apple, pear or plum");
  CHECK(rule.read(std::vector<std::string>{"plum", "apple"}) == List{Fruit::plum, Fruit::apple});
  CHECK(rule.read(scalar("pear,plum")) == List{Fruit::pear, Fruit::plum});
  CHECK(rule.read(scalar("[]")) == List{});
  CHECK_FALSE(rule.read(scalar("pear, nut")));
  CHECK_FALSE(rule.read(nested));
  CHECK(rule.text({Fruit::plum, Fruit::apple}) == "[plum, apple]");
}

TEST_CASE("a limit accepts one unit, a period any") {
  CHECK(limit(Period::Unit::updates).read(scalar("2Ku")) == Period{2000, Period::Unit::updates});
  CHECK_FALSE(limit(Period::Unit::updates).read(scalar("2e")));
  CHECK(limit(Period::Unit::epochs).read(scalar("2")) == Period{2, Period::Unit::epochs});
  CHECK(limit(Period::Unit::epochs).read(scalar("2e")) == Period{2, Period::Unit::epochs});
  CHECK(period().read(scalar("2e")) == Period{2, Period::Unit::epochs});
  CHECK(period().read(scalar("2")) == Period{2, Period::Unit::updates});
}

TEST_CASE("updates or epochs: a number of updates is written without a unit") {
  const auto rule = updates_or_epochs("[0, 1000]");
  CHECK(rule.accepts == "a whole number in [0, 1000] or epochs such as 2e");
  for (const char* text : {"700", "700u", "0.7K"}) CHECK(rule.read(scalar(text)) == Period{700, Period::Unit::updates});
  CHECK(rule.read(scalar("1.5e")) == Period{1.5, Period::Unit::epochs});
  for (const char* text : {"1.5", "1001", "5t", "-1", "", "1e3"}) CHECK_FALSE(rule.read(scalar(text)));
  CHECK(rule.text({700, Period::Unit::updates}) == "700");
  CHECK(rule.text({1.5, Period::Unit::epochs}) == "1.5e");
  CHECK(rule.text({}) == "0");
}

TEST_CASE("held-out sizes are two numbers of pairs, or none") {
  const auto rule = held_out();
  CHECK(rule.read(scalar("1000/500")) == HeldOut{1000, 500});
  CHECK(rule.read(scalar("none")) == HeldOut{});
  for (const char* text : {"", "5", "5/", "/5", "/", "5/6/7", "-1/2", "1/-2", "1.5/2", "9999999999/1", "5 /5", "auto"})
    CHECK_FALSE(rule.read(scalar(text)));
  for (const HeldOut& pairs : {HeldOut{}, HeldOut{3, 0}, HeldOut{0, 4}})
    CHECK(rule.read(scalar(rule.text(pairs))) == pairs);
}

TEST_CASE("a choice is made by name") {
  enum class Size { small, large };
  const auto rule = choice<Size>({"small", "large"});
  CHECK(rule.accepts == "small or large");
  CHECK(rule.read(scalar("large")) == Size::large);
  CHECK_FALSE(rule.read(scalar("Large")));
  CHECK_FALSE(rule.read(nothing));
  CHECK(rule.text(Size::small) == "small");
  CHECK_THROWS_WITH_AS(choice<Size>({"small"}), doctest::Contains("expected names for 2 enumerators; got 1"), Error);
}

TEST_CASE("values are shown shortened") {
  CHECK(scalar("1,5").shown() == "'1,5'");
  CHECK(nothing.shown() == "nothing");
  CHECK(nested.shown() == "nested values");
  CHECK(scalar(std::string(59, 'x') + "éa").shown() == "'" + std::string(59, 'x') + "...'");
  CHECK(scalar(std::string(1000, 'x')).shown() == "'" + std::string(60, 'x') + "...'");
}
