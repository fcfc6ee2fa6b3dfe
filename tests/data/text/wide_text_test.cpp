#include <random>

#include "data/text/file_kind.h"
#include "data/text/text_file.h"
#include "tests/data/data_test.h"
#include "tests/support/shell.h"

using namespace glossa;
using namespace glossa::testing;
using Lines = std::vector<std::string>;

namespace {

/// The text in code units of `width` bytes, without a byte order mark unless the text begins with U+FEFF.
std::string wide(const std::u32string& text, int width, bool big_endian) {
  std::string bytes;
  for (const char32_t c : text)
    for (int i = 0; i < width; ++i) bytes += static_cast<char>(c >> 8 * (big_endian ? width - 1 - i : i));
  return bytes;
}

}  // namespace

TEST_CASE("UTF-16 and UTF-32 are recognized by their mark or, for Western text, by their NUL bytes") {
  std::mt19937 draw(38);
  for (int i = 0; i < 200; ++i) {
    std::u32string text = U"abcd";
    for (unsigned length = draw() % 300; length > 0; --length)
      text +=
          draw() % 8 == 0 ? U'\n' : static_cast<char32_t>(draw() % 10 == 0 ? 0xC0 + draw() % 64 : 'a' + draw() % 26);
    for (const int width : {2, 4})
      for (const bool big : {false, true}) {
        const std::string name = width == 2 ? "UTF-16" : "UTF-32";
        CHECK_EQ(wide_encoding(wide(text, width, big)), name + (big ? "BE" : "LE"));
        CHECK_EQ(wide_encoding(wide(U'\uFEFF' + text, width, big)), name);
        CHECK_EQ(wide_encoding(wide(U"\uFEFF語", width, big)), name);
      }
    CHECK_EQ(wide_encoding(std::string(text.begin(), text.end())), "");  // a byte per letter: Latin-1
  }
}

TEST_CASE("text with bytes for letters is not taken for UTF-16, even with a NUL byte or two") {
  using namespace std::string_literals;
  for (const std::string& text : {""s, "a"s, "\0"s, "a\0b\0"s, "one\0two\0three\0four"s, "\xEF\xBB\xBFnotes"s,
                                  "\0\0\0\0\0\0\0\0\0\0\0\0"s, "\xC3\xA9t\xC3\xA9 \xE8\xAA\x9E\n"s})
    CHECK_EQ(wide_encoding(text), "");
}

TEST_CASE("a UTF-16 file is refused once, with the command that converts it") {
  const std::u32string text = U"première ligne\nzweite Zeile\n";
  const Lines lines{"première ligne", "zweite Zeile"};
  for (const bool mark : {false, true}) {
    const TemporaryFolder folder;
    const std::string bytes = wide((mark ? U"\uFEFF" : U"") + text, 2, false);
    const std::string path = folder.write("it's text.fr", bytes), packed = folder / "packed.fr.gz";
    const std::string old = folder.write("it's text.fr.old", "old\n"), present = folder / "present.fr.gz";
    folder.write("present.fr", "present\n");
    write_gzip(packed, bytes);
    write_gzip(present, bytes);
    for (const std::string& name : {path, packed, present}) {
      const std::string error = error_of<Error>([&] { read_lines(name, {.invalid_utf8 = InvalidUtf8::replace}); });
      CHECK(contains(error, "] expected UTF-8 text; got UTF-16"));
      CHECK(error_of<LineError>([&] {
              try {
                read_lines(name);
              } catch (const LineError&) {
                throw;
              } catch (const Error&) {  // of the file, so a command stops
              }
            }).empty());
      if (!has_program("iconv")) continue;
      output_of_shell(hint_of(error));
    }
    if (!has_program("iconv")) continue;
    for (const std::string& name : {path, (folder / "packed.fr").string(), (folder / "present-2.fr").string()})
      CHECK_EQ(read_lines(name), lines);  // the first two are read as a side of the same corpus
    CHECK_EQ(read_lines(old), Lines{"old"});
    CHECK_EQ(read_lines(folder / "present.fr"), Lines{"present"});
  }
}

TEST_CASE("a device with UTF-16 text is not moved") {
  const std::string error = error_of<Error>([] { check_is_not_wide("\xFF\xFE", "/dev/stdin", true); });
  CHECK_EQ(error, "[/dev/stdin] expected UTF-8 text; got UTF-16. Hint: convert it first with iconv -f UTF-16 -t UTF-8");
}
