#include "data/text/sentences.h"

#include <doctest/doctest.h>

#include <string>

#include "data/text/utf8.h"
#include "tests/support/long_lines.h"

using namespace glossa;
using namespace glossa::testing;

namespace {

/// The sentences of a line, separated by bars.
std::string marked(std::string_view line) {
  std::string text;
  for (const std::string_view sentence : split_sentences(line)) text.append(text.empty() ? "" : "|").append(sentence);
  return text;
}

/// Checks lines in which bars mark the places to split, with or without a space there.
void check_split(std::initializer_list<const char*> lines) {
  for (const std::string marks : lines) {
    std::string line;
    for (const char c : marks)
      if (c != '|') line += c;
    std::string expected;
    for (std::size_t i = 0; i < marks.size(); ++i)
      if (marks[i] != ' ' || (i > 0 && marks[i - 1] != '|')) expected += marks[i];
    CHECK_EQ(marked(line), expected);
  }
}

}  // namespace

TEST_CASE("a line is split where a sentence certainly ends: Latin script") {
  check_split({
      "I am tired.| Where is the station?",
      "We saw it.| Then we left!| Did you?!| Yes...| 5 dogs.",
      "I met Tom.| He left.| We went to Rome.| No.| I don't.| It isn't.| OK.",
      "Wir kamen an.| Über uns war nichts.",
      "Ça va ?| Très bien !| Merci.",
      "Estoy cansado.| ¿Dónde está la estación?| ¡Aquí!",
      // abbreviations, initials
      "I met Mr. Smith and Prof. Jones.| Mrs. Dr. Hill vs. Lt. Col. Kim.",
      "See No. 5 and fig. 3, pp. 4 and vol. 234.| Then No.| Art.| Go on.",
      "It was 5 p.m. He left.",
      "z. B. Berlin, z.B. Bonn, bzw. Köln",
      "The U.S. Army, Ph.D. Jones, e.g. Tom.",
      "J. R. R. Tolkien and J.-P. Sartre wrote it.| Plan B. failed",
      "Il s'appelle M. Dupont.| Mme. Curie, le Dr. Hild.",
      "Vi el Sr. Ruiz y a la Sra. Paz.| Ud. Habla.",
      "Jag kommer sen.| Det är hon.| Bra.",
      "I like art.| He saw me.| Go.",
      // decimals, ordinals, years, Roman numerals
      "Pi is 3.14 or 3,14.| It is.",
      "Er kam am 3. Oktober und am 25. Dezember.",
      "1. Introduction",
      "2.1. Methods",
      "It was 1990.| He left.| It took 100.| Then 50%.| Fine.",
      "Johannes Paul II. Er",
      "100 a.m. Then",
      // ellipses
      "Wait... what? no",
      "Well...| Tom said yes…| Then no … Angst ... Und",
      "... And then",
      "so.. and",
      // quotes, brackets
      "\"Stop!\"| He ran.| 'Go.'| She (he?) went.| (See above.)| [Done.]| {End.}| Yes.",
      "“Stop!”| He ran.| ‘Go.’| Yes.",
      "„Komm.“| Er kam.| »Nein.«| Dann ja.| Er ging.| »Komm!«| Ja.",
      "« Bonjour ! »| Il partit.| « Oui ! », dit-il.",
      "\"Stop!\" he said.",
      "\"Stop!\" (he said so) and",
      "It works.[1] Then",
      "He said \"yes\".| Then \"no\".| It was 'at 5 p.m.'| Then",
      // addresses, names of files
      "Visit https://a.org/b?c=d.e or www.example.com.| Then write to me@example.com!| See a.b.c for more",
      // lower case: in doubt, whole
      "he said so. and went on",
      "Is it? yes! it is",
      "Yahoo! is old",
      "a.b.c",
      ".",
      "?! ...",
      "Hi! :)",
      // punctuation alone is not a sentence
      "Hi! :)",
      "! ! Hello.| ? Yes.",
      "- Hi.| - Hello.| – Yes.",
  });
  CHECK_EQ(marked("a\xFF. B\xFE"), "a\xFF.|B\xFE");  // invalid bytes are kept
  CHECK_EQ(marked(" One.  \t Two.\u00A0Three. "), "One.|Two.|Three.");
  CHECK_EQ(marked(" hello world "), "hello world");
  CHECK_EQ(marked("  "), "");
  CHECK_EQ(marked(""), "");
}

TEST_CASE("a line is split where a sentence certainly ends: Chinese, Japanese, Korean") {
  check_split({
      "你好。|再见！|你是谁？|我是汤姆。",
      "你好。|iPhone很好。",
      "你好!|再见?|好.|我很好...不知道",
      "价格是3.14元。|圆周率３．１４。",
      "我……不知道。|好……",
      "他说：“你好。”然后走了。|“你好。”|“再见。”",
      "（你好。）|（再见。）",
      "今日は。|はい！|Yes.| 元気？",
      "彼は「元気？」と聞いた。|「はい。」|「よし。」",
      "そうです。| 元気ですか。",
      "네.| 그래요.| 좋아!",
      "나는 3.14를 좋아한다.| 그래?",
  });
  CHECK_EQ(marked("そうです！\u3000元気ですか。"), "そうです！|元気ですか。");
}

TEST_CASE("a line is split where a sentence certainly ends: Devanagari, Arabic, Cyrillic, Greek and others") {
  check_split({
      "यह ठीक है।| वह नहीं।|मैं हूँ॥| क्या?| हाँ!| ठीक",
      "डॉ. शर्मा और प्रो. वर्मा आए।| ए. बी. सिंह",
      "यह घर है.| मैं ठीक हूँ.| हाँ",
      "यह ठीक है।| iPhone भी।",
      "मूल्य 3.50 है।| \"हाँ।\"| (नहीं।)| बस",
      "كيف حالك؟| أنا بخير.| نعم!",
      "قابلت د. محمد اليوم.| ثم",
      "یہ ٹھیک ہے۔| وہ نہیں۔",
      "Я устал.| Где вокзал?| Вот!",
      "г. Москва, ул. Ленина, А. С. Пушкин, т.е. поэт, рис. 5а.| Потом",
      "«Да!»| Он ушёл.| – Нет.| Да",
      "Πού είσαι;| Είμαι εδώ.| Ναι",
      "Semi; Colon",
      "Ո՞վ է։| Ես եմ։| Այո",
      "សួស្តី។| បាទ",
      "እንዴት ነህ።| ደህና።| አዎ",
      "ဟုတ်တယ်။| မဟုတ်ဘူး။",
  });
}

TEST_CASE("every place at which a sentence may end: also the doubtful ones") {
  CHECK_EQ(split_at_end_marks("Mr. Hill? yes 3.14 (no.) ..."),
           std::vector<std::string_view>{"Mr.", "Hill?", "yes 3.14 (no.)", "..."});
}

TEST_CASE("no text is lost, and long lines of any shape are split with work that grows with their length") {
  std::vector<std::string> lines = lines_of_a_megabyte();
  for (std::string& line : lines) line.resize(100'000);
  for (const std::string_view unit :
       {"! ", ".", ". ", "好.", "。", "\u0964)", " \u00BB !", "a. ", "A.", "\xFF. ", "1. B"}) {
    std::string& line = lines.emplace_back();
    while (line.size() < lines.front().size()) line += unit;
  }
  const auto size = [](std::string_view text) {
    std::size_t bytes = 0;
    utf8::for_each(
        text, [&](std::string_view piece, utf8::CodePoint c) { bytes += utf8::is_space(c.value) ? 0 : piece.size(); });
    return bytes;
  };
  for (const std::string& line : lines) {
    CAPTURE(line.substr(0, 10));
    std::size_t kept = 0;
    for (const std::string_view sentence : split_sentences(line)) kept += size(sentence);
    CHECK_EQ(kept, size(line));
  }
}
