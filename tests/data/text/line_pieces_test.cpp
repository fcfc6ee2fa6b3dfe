#include "data/text/line_pieces.h"

#include <doctest/doctest.h>

#include "data/text/utf8.h"

using namespace glossa;
using Pieces = std::vector<std::string_view>;

namespace {

std::function<bool(std::string_view)> at_most(std::size_t bytes) {
  return [=](std::string_view piece) { return piece.size() <= bytes; };
}

}  // namespace

TEST_CASE("a line is cut at the ends of its sentences") {
  CHECK(cut_line("One. Two!  Three? (Four.) \"Five.\" six", at_most(100)) ==
        Pieces{"One.", "Two!", "Three?", "(Four.)", "\"Five.\"", "six"});
  CHECK(cut_line("  Not 3.14 nor a.b ... yes. ", at_most(100)) == Pieces{"Not 3.14 nor a.b ...", "yes."});
  CHECK(cut_line("今日は。「元気？」はい！Yes", at_most(100)) == Pieces{"今日は。", "「元気？」", "はい！", "Yes"});
  CHECK(cut_line("यह घर है। वह नहीं", at_most(100)) == Pieces{"यह घर है।", "वह नहीं"});
  CHECK(cut_line("", at_most(100)).empty());
  CHECK(cut_line("   ", at_most(100)).empty());
}

TEST_CASE("a sentence that does not fit is halved at the space nearest to its middle, until it does") {
  CHECK(cut_line("aa bb cc dd", at_most(5)) == Pieces{"aa bb", "cc dd"});
  CHECK(cut_line("aaaaaaaa b c d", at_most(8)) == Pieces{"aaaaaaaa", "b c d"});
  CHECK(cut_line("a b c dddddddd", at_most(8)) == Pieces{"a b c", "dddddddd"});
  CHECK(cut_line("a bbbbb cc", at_most(8)) == Pieces{"a bbbbb", "cc"});
  CHECK(cut_line("Short. aa bb cc dd", at_most(6)) == Pieces{"Short.", "aa bb", "cc dd"});
}

TEST_CASE("text without spaces is halved between code points, down to single ones") {
  CHECK(cut_line("abcdefgh", at_most(2)) == Pieces{"ab", "cd", "ef", "gh"});
  CHECK(cut_line("日本語", at_most(6)) == Pieces{"日", "本語"});
  CHECK(cut_line("ä日", at_most(3)) == Pieces{"ä", "日"});
  CHECK(cut_line("😀x", at_most(2)) == Pieces{"😀", "x"});
  CHECK(cut_line("日本", at_most(0)) == Pieces{"日", "本"});
}

TEST_CASE("no text is lost, and every piece fits") {
  std::string line;
  for (int i = 0; i < 3000; ++i) line += std::string(static_cast<std::size_t>(1 + i * 7 % 11), 'a' + i % 26) + " ";
  line += std::string(500, 'z');
  std::string text;
  for (const std::string_view piece : cut_line(line, at_most(40))) {
    CHECK(piece.size() <= 40);
    CHECK(piece.front() != ' ');
    CHECK(piece.back() != ' ');
    text += piece;
  }
  std::erase(line, ' ');
  std::erase(text, ' ');
  CHECK(text == line);
}

TEST_CASE("pieces are joined by a space, but not between Chinese or Japanese characters") {
  const auto joined = [](const std::vector<std::string>& pieces) {
    std::string line;
    for (const std::string& piece : pieces) append_piece(line, piece);
    return line;
  };
  CHECK(joined({"One.", "", "Two."}) == "One. Two.");
  CHECK(joined({"今日は。", "はい"}) == "今日は。はい");
  CHECK(joined({"今日は。", "Yes", "はい"}) == "今日は。 Yes はい");
  CHECK(joined({"그래.", "네"}) == "그래. 네");
  CHECK(joined({"", ""}).empty());
  CHECK(joined({}).empty());
}

TEST_CASE("spaces in excess of the usual are kept between pieces") {
  /// Joins two translations like the pieces of a line.
  const auto joined = [](std::string_view line, std::string first, std::string_view second) {
    const Pieces pieces = cut_line(line, at_most(100));
    REQUIRE_EQ(pieces.size(), 2);
    append_piece(first, second, gap_between(pieces[0], pieces[1]));
    return first;
  };
  struct Case {
    std::string_view line, latin, japanese;
  };
  for (const Case& gap : std::initializer_list<Case>{
           {"One. Two.", "Un. Deux.", "一。二。"},
           {"One.   Two.", "Un.   Deux.", "一。  二。"},
           {"One.\u00A0Two.", "Un. Deux.", "一。二。"},
           {"One. \tTwo.", "Un.  Deux.", "一。 二。"},
           {"今日は。はい", "Un. Deux.", "一。二。"},
           {"今日は。 はい", "Un. Deux.", "一。 二。"},
           {"今日は。\u3000\u3000はい", "Un.  Deux.", "一。  二。"},
           {"今日は。Yes", "Un. Deux.", "一。二。"},
           {"今日は。 Yes", "Un. Deux.", "一。二。"},
       }) {
    CAPTURE(gap.line);
    CHECK_EQ(joined(gap.line, "Un.", "Deux."), gap.latin);
    CHECK_EQ(joined(gap.line, "一。", "二。"), gap.japanese);
  }
  std::string line = "今日は。";
  CHECK(append_piece(line, "はい。"));
  CHECK_FALSE(append_piece(line, "はい。", {.spaces = 1, .extra = 1}));
  CHECK_EQ(line, "今日は。はい。 はい。");
}
