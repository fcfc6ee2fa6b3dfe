#include "app/serve/text_pieces.h"

#include <doctest/doctest.h>

#include "app/serve/languages.h"

using namespace glossa::serve;
using Strings = std::vector<std::string>;

namespace {

Strings sentences_of(const std::string& line) {
  const std::vector<TextLine> lines = lines_of_text(line);
  if (lines.empty()) return {};
  REQUIRE_EQ(lines.size(), 1);
  return {lines[0].sentences.begin(), lines[0].sentences.end()};
}

}  // namespace

TEST_CASE("the ends of lines are kept, and so are empty lines") {
  const std::string text = "one\n\ntwo\r\n  \nthree";
  const std::vector<TextLine> lines = lines_of_text(text);
  REQUIRE_EQ(lines.size(), 5);
  const Strings ends{"\n", "\n", "\r\n", "\n", ""}, first{"one", "", "two", "", "three"};
  for (std::size_t i = 0; i < lines.size(); ++i) {
    CHECK_EQ(lines[i].end, ends[i]);
    CHECK_EQ(lines[i].sentences.size(), first[i].empty() ? 0 : 1);
    if (!first[i].empty()) CHECK_EQ(lines[i].sentences[0], first[i]);
  }
  CHECK(lines_of_text("").empty());
  CHECK_EQ(lines_of_text("\n").size(), 1);
  CHECK_EQ(lines_of_text("a\n").size(), 1);
  CHECK_EQ(lines_of_text("\r\n").front().end, "\r\n");
  CHECK_EQ(lines_of_text("\r").front().end, "");
}

TEST_CASE("a line is cut where a sentence certainly ends") {
  CHECK_EQ(sentences_of("We saw it. Then we left! Did you? \"Yes.\" 5 dogs."),
           Strings{"We saw it.", "Then we left!", "Did you?", "\"Yes.\"", "5 dogs."});
  CHECK_EQ(sentences_of("Wir kamen an.  Über uns war nichts."), Strings{"Wir kamen an.", "Über uns war nichts."});
  CHECK_EQ(sentences_of("यह ठीक है। वह नहीं।"), Strings{"यह ठीक है।", "वह नहीं।"});
  CHECK_EQ(sentences_of("你好。再见。"), Strings{"你好。", "再见。"});
  for (const char* whole :
       {"I met Mr. Smith and Prof. Jones.", "It was 5 p.m. He left.", "z. B. Berlin", "No. 5 is alive.",
        "he said so. and went on", "J. R. R. Tolkien wrote it.", "Wait... what?", "a.b.c", "."})
    CHECK_EQ(sentences_of(whole), Strings{whole});
  CHECK_EQ(sentences_of(" hello world "), Strings{"hello world"});
  CHECK_EQ(sentences_of("a\xFF. B\xFE"), Strings{"a\xFF.", "B\xFE"});  // invalid bytes are kept
}

TEST_CASE("languages have names") {
  CHECK_EQ(language_name("en"), "English");
  CHECK_EQ(language_name("zu"), "Zulu");
  CHECK_EQ(language_name("pt-BR"), "Portuguese (BR)");
  for (const char* code : {"", "e", "xx", "eng", "|a"}) CHECK_EQ(language_name(code), code);
}
