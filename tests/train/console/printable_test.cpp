#include "train/console/printable.h"

#include <doctest/doctest.h>

#include <string>

#include "tests/support/temporary_folder.h"
#include "train/console/print.h"

using namespace glossa;
using namespace glossa::testing;
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

TEST_CASE("a message is one line, whatever its values contain") {
  const TemporaryFolder folder;
  std::FILE* const file = std::fopen((folder / "messages").c_str(), "w");
  print_error(file, "[{}] expected a; got '{}'", "key\x1b[2J", "x\nglossa: fine");
  print_message(file, "  ", "a note\n");
  print_message(file, "", "");
  std::fclose(file);
  CHECK_EQ(read_bytes(folder / "messages"), "glossa: [key\\x1b[2J] expected a; got 'x\\nglossa: fine'\n  a note\n\n");
}
