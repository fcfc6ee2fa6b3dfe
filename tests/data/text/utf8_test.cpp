#include "data/text/utf8.h"

#include <doctest/doctest.h>

#include <set>
#include <string>
#include <vector>

using namespace glossa;

TEST_CASE("every code point survives the round trip through UTF-8") {
  for (char32_t value = 0; value <= 0x10FFFF; ++value) {
    if (value >= 0xD800 && value <= 0xDFFF) continue;
    std::string text;
    utf8::append(text, value);
    const utf8::CodePoint c = utf8::first(text);
    if (!c.valid || c.value != value || c.bytes != text.size()) {
      CAPTURE(static_cast<unsigned>(value));
      REQUIRE(false);
    }
  }
}

TEST_CASE("each class of malformed UTF-8 is found at the start, in the middle and at the end") {
  const std::vector<std::string> malformed = {
      "\x80",              // continuation byte alone
      "\xBF",              //
      "\xC0\x80",          // overlong forms
      "\xC1\xBF",          //
      "\xE0\x80\x80",      //
      "\xE0\x9F\xBF",      //
      "\xF0\x8F\xBF\xBF",  //
      "\xED\xA0\x80",      // surrogates
      "\xED\xBF\xBF",      //
      "\xF4\x90\x80\x80",  // above U+10FFFF
      "\xF5\x80\x80\x80",  //
      "\xFE",              // never in UTF-8
      "\xFF",              //
      "\xC3",              // cut off
      "\xE2\x82",          //
      "\xF0\x9F\x98",      //
  };
  for (const std::string& bad : malformed) {
    CAPTURE(bad);
    for (const auto& [before, after] :
         std::vector<std::pair<std::string, std::string>>{{"", "ab"}, {"ä", "ö"}, {"ab", ""}}) {
      const std::string text = before + bad + after;
      CHECK(utf8::find_invalid(text) == before.size());
      std::int64_t replaced = 0;
      const std::string mended = utf8::replace_invalid(text, &replaced);
      CHECK(utf8::find_invalid(mended) == std::string::npos);
      CHECK(mended.starts_with(before + std::string(utf8::replacement)));
      CHECK(mended.ends_with(std::string(utf8::replacement) + after));
      CHECK(replaced >= 1);
    }
  }
}

TEST_CASE("each longest valid prefix gets one replacement, as Unicode recommends") {
  std::int64_t replaced = 0;
  // Unicode 15, table 3-11.
  CHECK(utf8::replace_invalid("\xE1\x80\xE2\xF0\x91\x92\xF1\xBF\x41", &replaced) ==
        "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\x41");
  CHECK(replaced == 4);
  CHECK(utf8::replace_invalid("plain ä") == "plain ä");
}

TEST_CASE("lower case follows Unicode and leaves other scripts and invalid bytes alone") {
  CHECK(utf8::lower_case("Ein ÄLTERER Straßen-MANN") == "ein älterer straßen-mann");
  CHECK(utf8::lower_case("ΑΒΓ ЖЗИ") == "αβγ жзи");
  CHECK(utf8::lower_case("नमस्ते दुनिया") == "नमस्ते दुनिया");
  CHECK(utf8::lower_case("A\xFF"
                         "B") ==
        "a\xFF"
        "b");
}

TEST_CASE("white space is Unicode's, without joiners") {
  // PropList.txt of Unicode 15.
  const std::set<char32_t> spaces = {0x09,   0x0A,   0x0B,   0x0C,   0x0D,   0x20,   0x85,   0xA0,   0x1680,
                                     0x2000, 0x2001, 0x2002, 0x2003, 0x2004, 0x2005, 0x2006, 0x2007, 0x2008,
                                     0x2009, 0x200A, 0x2028, 0x2029, 0x202F, 0x205F, 0x3000};
  std::set<char32_t> found;
  for (char32_t value = 0; value <= 0x10FFFF; ++value)
    if (utf8::is_space(value)) found.insert(value);
  CHECK((found == spaces));
}

TEST_CASE("white space of Python is Unicode's and the information separators") {
  for (char32_t value = 0; value <= 0x10FFFF; ++value)
    CHECK_EQ(utf8::is_python_space(value), utf8::is_space(value) || (value >= 0x1C && value <= 0x1F));
}

TEST_CASE("numbers, punctuation and symbols are those of Unicode, in every script") {
  const std::u32string numbers = U"09\u0967\uFF13\u00BD\u2163\u2460", symbols = U"+$^\u20AC\u00A9\u2192\U0001F600",
                       punctuation = U"_-([\u00AB\u2019\u00BB!\u3002\u0964",
                       others = U"aZ \u0905\u093E\u4E00\u3042\u200D\u0300\t";
  for (const char32_t c : numbers + symbols + punctuation + others) {
    CAPTURE(static_cast<unsigned>(c));
    CHECK(utf8::is_number(c) == (numbers.find(c) != numbers.npos));
    CHECK(utf8::is_symbol(c) == (symbols.find(c) != symbols.npos));
    CHECK(utf8::is_punctuation(c) == (punctuation.find(c) != punctuation.npos));
  }
}

TEST_CASE("letters are lower-case if a capital may begin the word instead, and have a base without accents") {
  for (const char32_t c : {U'a', U'é', U'я', U'ω', U'ā'}) CHECK(utf8::is_lower(c));
  for (const char32_t c : {U'A', U'1', U'\u10D0', U'\u0915', U'\u4F60'}) CHECK_FALSE(utf8::is_lower(c));
  CHECK(utf8::base_letter(U'É') == U'e');
  CHECK(utf8::base_letter(U'ё') == U'е');
  CHECK(utf8::base_letter(U'ώ') == U'ω');
  CHECK(utf8::base_letter(U'ø') == U'ø');
}

TEST_CASE("full lower case: a sigma that ends a word is final, and İ becomes two code points") {
  CHECK(utf8::lower_case("ΟΔΟΣ İ") == "οδοσ i");
  CHECK(utf8::full_lower_case("ÄÖ ΟΔΟΣ, ΣΑΣΑ Σ İ") == "äö οδος, σασα σ i\u0307");
  CHECK(utf8::full_lower_case("Α\u0301Σ\u0301 ΑΣ' ΑΣ'Α 3Σ ⅯΣ") == "α\u0301ς\u0301 ας' ασ'α 3σ ⅿς");
  CHECK(utf8::full_lower_case("A\xFFΣB") == "a\xFFσb");
}
