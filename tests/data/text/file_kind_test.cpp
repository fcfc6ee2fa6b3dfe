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

/// Shell functions in place of programs that write files: each writes where the program does, and overwrites.
constexpr const char* substitutes = R"sh(
pdftotext() { echo new > "$2"; }
libreoffice() {
  out=.
  while [ $# -gt 1 ]; do
    case $1 in --convert-to) format=${2%%:*} ;; --outdir) out=$2 ;; esac
    shift
  done
  mkdir -p "$out"; name=${1##*/}; echo new > "$out/${name%.*}.$format"
}
pandoc() { while [ "$1" != -o ]; do shift; done; echo new > "$2"; }
tesseract() { echo new > "$2.txt"; }
unpack() { mkdir -p "$1"; for name in "my text" "my text.txt" "my text.tsv"; do echo new > "$1/$name"; done; }
unzip() { unpack "${3:-.}"; }
tar() { unpack "${3#--one-top-level=}"; }
seven_zip() { unpack "${3#-o}"; }
alias 7z=seven_zip
unrar() { unpack "${3:-.}"; }
gzip() { echo new; }
xz() { echo new; }
sqlite3() { echo new; }
python3() { echo new > "$4"; }
)sh";

/// The error about a file with these bytes; empty if it is plain text.
std::string refusal(const std::string& bytes) {
  const TemporaryFolder folder;
  const std::string path = folder.write("text", bytes);
  return error_of<Error>([&] { check_is_plain(bytes, path, true); });
}

}  // namespace

TEST_CASE("files that are not text are named for what they are, with a command that a shell reads as it is meant") {
  const TemporaryFolder folder;
  for (const Example& example : examples) {
    CAPTURE(example.kind);
    const std::string path = folder.write("it's $my text", example.bytes);
    const std::string error = error_of<Error>([&] { read_lines(path); });
    CHECK(error.starts_with("[" + path + "] expected plain text; got " + example.kind + ". Hint: " + example.program));
    const std::vector<std::string> words = words_of_shell(std::regex_replace(hint_of(error), std::regex(" > "), " "));
    CHECK_EQ(words.front(), example.program);
    CHECK_NE(std::find(words.begin(), words.end(), path), words.end());
    // As a corpus of two files, which would otherwise be called missing.
    CHECK_EQ(error_of<Error>([&] { read_parallel(path, "en", "de"); }), error);
  }
  for (const std::string& text : {"plain text"s, "PAR1 is a gene"s, "BZh"s, ""s, "<b>bold</b>"s, "PK"s, "GIF8"s,
                                  std::string(256, ' ') + "gustar a todos", "\xC3\xA9t\xC3\xA9"s})
    CHECK_EQ(refusal(text), "");
}

TEST_CASE("the command that makes text of a file overwrites no other file") {
  for (const Example& example : examples)
    for (const char* name : {"my text.docx", "my text.xls", "my text"}) {
      CAPTURE(example.kind);
      const TemporaryFolder folder;
      const std::string path = folder.write(name, example.bytes);
      std::vector<std::string> others;
      for (const char* other : {"my text", "my text.txt", "my text.tsv", "my text.pdf", "my text.docx.txt",
                                "my text.docx.tsv", "my text.docx.tmx"})
        if (other != std::string(name)) others.push_back(folder.write(other, "mine"));
      const std::string hint = hint_of(error_of<Error>([&] { read_lines(path); }));
      CAPTURE(hint);
      output_of_shell("cd " + folder.path().string() + substitutes + hint);
      for (const std::string& other : others) CHECK_EQ(read_file(other), "mine");
      std::size_t written = 0;
      for (const auto& entry : std::filesystem::recursive_directory_iterator(folder.path()))
        written += entry.is_regular_file() && read_file(entry.path()) == "new\n";
      CHECK((written > 0) == (example.program != "mv"));
    }
}

TEST_CASE("web pages are recognized behind declarations and comments, but sentences in tags are text") {
  for (const std::string& page :
       {"<html lang=\"en\">\n<p>one"s, "\xEF\xBB\xBF<HTML>\n"s, "<head>\n"s, "<body class=\"a\">one"s,
        "<?xml version=\"1.0\"?><!DOCTYPE html PUBLIC \"-//W3C//DTD XHTML 1.0\">"s,
        "<!-- saved -->\n <!-- <b> -->\n<html>\n"s, "<!doctype html><html>one</html>"s})
    CHECK(contains(refusal(page), "expected plain text; got a web page (HTML). Hint: "));
  for (const std::string& text :
       {"<html>Text</html>\n<b>Bold</b>\n"s, "<body>One.</body>\nTwo.\n"s, "<header>"s, "<bodyguard>\n"s,
        "<!-- a note -->\nOne.\n"s, "<!-- open"s, "<?php"s, "<"s, "<!--"s, "<?xml version=\"1.0\"?>\n<xliff>"s})
    CHECK_EQ(refusal(text), "");
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
