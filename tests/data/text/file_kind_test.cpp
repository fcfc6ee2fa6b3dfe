#include "data/text/file_kind.h"

#include <regex>

#include "data/parallel_corpus.h"
#include "data/text/text_file.h"
#include "data/tmx_corpus.h"
#include "tests/data/data_test.h"
#include "tests/support/shell.h"

using namespace glossa;
using namespace glossa::testing;
using namespace std::string_literals;

namespace {

/// The header of a zip archive's member, with the member's content.
std::string member(const std::string& name, const std::string& content = "<xml/>") {
  return "PK\x03\x04"s + std::string(26, '\0') + name + content;
}

struct Example {
  std::string bytes, kind, program;
};

const std::vector<Example> examples{
    {"%PDF-1.7\n", "a PDF", "pdftotext"},
    {member("[Content_Types].xml") + member("word/document.xml"), "a Word document (.docx)", "libreoffice"},
    {member("[Content_Types].xml") + member("xl/workbook.xml"), "an Excel spreadsheet (.xlsx)", "libreoffice"},
    {member("mimetype", "application/vnd.oasis.opendocument.text"), "an OpenDocument text (.odt)", "libreoffice"},
    {member("a.txt"), "a zip archive", "unzip"},
    {"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1"s, "a document of Word or Excel (.doc, .xls)", "libreoffice"},
    {"\x1F\x8B\x08\0"s, "gzip data", "gzip"},
    {"\xFD"
     "7zXZ\0"s,
     "xz data", "xz"},
    {std::string(257, 'a') + "ustar\0"s, "a tar archive", "tar"},
    {"7z\xBC\xAF\x27\x1C"s, "a 7z archive", "7z"},
    {"Rar!\x1A\x07\0"s, "a rar archive", "unrar"},
    {"SQLite format 3\0"s, "an SQLite database", "sqlite3"},
    {"PAR1\x15\x04"s, "a Parquet table", "python3"},
    {"\x89PNG\r\n\x1A\n"s, "an image (PNG)", "tesseract"},
    {"\n<!DOCTYPE html>\n<p>one", "a web page (HTML)", "pandoc"},
    {"<?xml version=\"1.0\"?>\n<tmx version=\"1.4\">", "a translation memory", "mv"},
};

}  // namespace

TEST_CASE("files that are not text are named for what they are, with a command that a shell reads as it is meant") {
  const TemporaryFolder folder;
  for (const Example& example : examples) {
    CAPTURE(example.kind);
    CHECK_EQ(foreign_kind(example.bytes), example.kind);
    const std::string path = folder.write("it's $my text", example.bytes);
    const std::string error = error_of<Error>([&] { read_lines(path); });
    CHECK(error.starts_with("[" + path + "] expected plain text; got " + example.kind + ". Hint: " + example.program));
    const std::vector<std::string> words =
        words_of_shell(std::regex_replace(hint_of(error), std::regex(" (>|&&) .*"), ""));
    CHECK_EQ(words.front(), example.program);
    CHECK_NE(std::find(words.begin(), words.end(), path), words.end());
    // As a corpus of two files, which would otherwise be called missing.
    CHECK_EQ(error_of<Error>([&] { read_parallel(path, "en", "de"); }), error);
  }
  for (const std::string& text : {"plain text"s, "PAR1 is a gene"s, "BZh"s, ""s, "<b>bold</b>"s, "PK"s, "GIF8"s,
                                  std::string(256, ' ') + "gustar a todos", "\xC3\xA9t\xC3\xA9"s})
    CHECK_EQ(foreign_kind(text), "");
}

TEST_CASE("the content counts, not the name, in packed files, tables and translation memories as well") {
  const TemporaryFolder folder;
  const std::string pdf = "%PDF-1.7\n", packed = folder / "a.en.gz";
  write_gzip(packed, pdf);
  CHECK(contains(error_of<Error>([&] { read_lines(packed); }), "got a PDF. Hint: unpack it first, with gzip -dk "));
  const std::string table = folder.write("a.tsv", pdf), memory = folder.write("a.tmx", pdf);
  CHECK(contains(error_of<Error>([&] { read_tsv(table, "en", "de"); }), "got a PDF. Hint: pdftotext "));
  CHECK(contains(error_of<Error>([&] { read_tmx(memory, "en", "de"); }), "got a PDF. Hint: pdftotext "));
}
