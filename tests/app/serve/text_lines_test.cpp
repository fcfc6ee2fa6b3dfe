#include "app/serve/text_lines.h"

#include <doctest/doctest.h>

#include "app/serve/languages.h"

using namespace glossa::serve;
using Strings = std::vector<std::string>;

TEST_CASE("the ends of lines are kept, and so are empty lines") {
  const std::string text = "one\n\ntwo\r\n  \nthree";
  const std::vector<TextLine> lines = lines_of_text(text);
  REQUIRE_EQ(lines.size(), 5);
  const Strings ends{"\n", "\n", "\r\n", "\n", ""}, texts{"one", "", "two", "  ", "three"};
  for (std::size_t i = 0; i < lines.size(); ++i) {
    CHECK_EQ(lines[i].end, ends[i]);
    CHECK_EQ(lines[i].text, texts[i]);
  }
  CHECK(lines_of_text("").empty());
  CHECK_EQ(lines_of_text("\n").size(), 1);
  CHECK_EQ(lines_of_text("a\n").size(), 1);
  CHECK_EQ(lines_of_text("\r\n").front().end, "\r\n");
  CHECK_EQ(lines_of_text("\r").front().end, "");
}

TEST_CASE("languages have names") {
  CHECK_EQ(language_name("en"), "English");
  CHECK_EQ(language_name("zu"), "Zulu");
  CHECK_EQ(language_name("pt-BR"), "Portuguese (BR)");
  for (const char* code : {"", "e", "xx", "eng", "|a"}) CHECK_EQ(language_name(code), code);
}
