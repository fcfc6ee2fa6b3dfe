#include "base/printable.h"

#include <doctest/doctest.h>

#include <string>

using namespace glossa;
using namespace std::string_literals;

TEST_CASE("what could drive a terminal is escaped; all other text stays") {
  for (const std::string& text :
       {""s, "a\n\tb"s, "\\x1b \\ ~"s, "ä \u00a0 ☃ \U0001F600 \u202f\u2065\u206a"s, "שלום \u200f"s})
    CHECK_EQ(printable(text), text);
  for (const auto& row : {std::pair{"\x1b[2J\x1b]0;title\x07"s, "\\x1b[2J\\x1b]0;title\\x07"s},
                          {"\0\b\r\x1f\x7f"s, "\\x00\\x08\\x0d\\x1f\\x7f"s},
                          {"\u0080a\u009b2J\u009f"s, "\\u0080a\\u009b2J\\u009f"s},
                          {"\u202aa\u202e\u2066b\u2069"s, "\\u202aa\\u202e\\u2066b\\u2069"s},
                          {"\x9b"
                           "2J\xc2\xffz\xe2\x80"s,
                           "\\x9b2J\\xc2\\xffz\\xe2\\x80"s}}) {
    CHECK_EQ(printable(row.first), row.second);
    CHECK_EQ(printable(row.second), row.second);
  }
  CHECK_EQ(printable_line("a\n[b]\tc\n\x1b"), "a\\n[b]\tc\\n\\x1b");
}
