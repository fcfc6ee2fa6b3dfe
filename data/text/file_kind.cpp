#include "data/text/file_kind.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <filesystem>
#include <string>
#include <utility>

#include "base/check.h"
#include "data/text/place.h"
#include "data/text/shell_word.h"
#include "data/text/unpacker.h"
#include "data/text/utf8.h"

namespace glossa {
namespace {

using namespace std::string_view_literals;
namespace fs = std::filesystem;

/// Ways to convert a file to text or to unpack it.
enum class Way {
  pdf,
  document,
  sheet,
  by_name,
  slides,
  web_page,
  image,
  unpack,
  unzip,
  tar,
  seven_zip,
  rar,
  sqlite,
  parquet,
  rename
};

struct Kind {
  std::string_view name;
  Way way;
  std::string_view detail = {};  // the unpacking program, pandoc's name of the format, or the correct ending
};

struct Magic {
  std::size_t at;
  std::string_view bytes;
  Kind kind;
};

constexpr Magic magics[] = {
    {0, "%PDF-"sv, {"a PDF", Way::pdf}},
    {0, "\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1"sv, {"a document of Word or Excel (.doc, .xls)", Way::by_name}},
    {0, "{\\rtf1"sv, {"a rich-text document (.rtf)", Way::document}},
    {0, "\x1F\x8B\x08"sv, {"gzip data", Way::unpack, "gzip"}},
    {4, "1AY&SY"sv, {"bzip2 data", Way::unpack, "bzip2"}},
    {0,
     "\xFD"
     "7zXZ\0"sv,
     {"xz data", Way::unpack, "xz"}},
    {0, "\x28\xB5\x2F\xFD"sv, {"zstd data", Way::unpack, "zstd"}},
    {257, "ustar\0"sv, {"a tar archive", Way::tar}},
    {257, "ustar  \0"sv, {"a tar archive", Way::tar}},
    {0, "7z\xBC\xAF\x27\x1C"sv, {"a 7z archive", Way::seven_zip}},
    {0, "Rar!\x1A\x07"sv, {"a rar archive", Way::rar}},
    {0, "SQLite format 3\0"sv, {"an SQLite database", Way::sqlite}},
    {0, "PAR1\x15"sv, {"a Parquet table", Way::parquet}},
    {0, "\x89PNG\r\n\x1A\n"sv, {"an image (PNG)", Way::image}},
    {0, "\xFF\xD8\xFF"sv, {"an image (JPEG)", Way::image}},
    {0, "GIF87a"sv, {"an image (GIF)", Way::image}},
    {0, "GIF89a"sv, {"an image (GIF)", Way::image}},
    {0, "II*\0"sv, {"an image (TIFF)", Way::image}},
    {0, "MM\0*"sv, {"an image (TIFF)", Way::image}},
    {8, "WEBPVP8"sv, {"an image (WebP)", Way::image}},
};

/// Kinds of zip archives, identified by the beginning of a member's name, or by the member `mimetype` and its content.
constexpr std::pair<std::string_view, Kind> members[] = {
    {"word/", {"a Word document (.docx)", Way::document}},
    {"xl/", {"an Excel spreadsheet (.xlsx)", Way::sheet}},
    {"ppt/", {"a PowerPoint presentation (.pptx)", Way::slides}},
    {"mimetypeapplication/vnd.oasis.opendocument.text", {"an OpenDocument text (.odt)", Way::document}},
    {"mimetypeapplication/vnd.oasis.opendocument.spreadsheet", {"an OpenDocument spreadsheet (.ods)", Way::sheet}},
    {"mimetypeapplication/vnd.oasis.opendocument", {"an OpenDocument file", Way::slides}},
    {"mimetypeapplication/epub+zip", {"an e-book (.epub)", Way::web_page, "epub"}},
};

Kind kind_of_zip(std::string_view beginning) {
  constexpr std::string_view header = "PK\x03\x04";
  constexpr std::size_t name_at = 30;  // offset in a member's header
  for (std::size_t at = 0; (at = beginning.find(header, at)) != beginning.npos; at += header.size()) {
    const std::string_view name = beginning.substr(std::min(at + name_at, beginning.size()));
    for (const auto& [start, kind] : members)
      if (name.starts_with(start)) return kind;
  }
  return {"a zip archive", Way::unzip};
}

/// The text after leading white space, `<?...?>` declarations and comments.
std::string_view after_prolog(std::string_view text) {
  constexpr std::pair<std::string_view, std::string_view> skipped[] = {{"<?", "?>"}, {"<!--", "-->"}};
  for (;;) {
    text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
    const auto* next = std::ranges::find_if(skipped, [&](const auto& part) { return text.starts_with(part.first); });
    if (next == std::end(skipped)) return text;
    text.remove_prefix(std::min(text.find(next->second), text.size()));
    text.remove_prefix(std::min(next->second.size(), text.size()));
  }
}

/// True for text that begins like HTML. False if the first line also closes its element, because it may then be a
/// sentence of a corpus.
bool is_web_page(std::string_view beginning) {
  beginning = after_prolog(beginning);
  if (!beginning.starts_with('<')) return false;
  const std::string line = utf8::lower_case(beginning.substr(0, beginning.find('\n')));
  if (line.starts_with("<!doctype html")) return true;
  const std::string name = line.substr(1, line.find_first_of("> \t\r") - 1);
  return (name == "html" || name == "head" || name == "body") && line.find("</" + name) == line.npos;
}

Kind kind_of(std::string_view beginning) {
  if (beginning.starts_with("PK\x03\x04"sv)) return kind_of_zip(beginning);
  for (const Magic& magic : magics)
    if (beginning.size() > magic.at && beginning.substr(magic.at).starts_with(magic.bytes)) return magic.kind;
  if (beginning.starts_with("\xEF\xBB\xBF")) beginning.remove_prefix(3);
  if (is_web_page(beginning)) return {"a web page (HTML)", Way::web_page, "html"};
  constexpr std::size_t looked_at = 1024;
  beginning.remove_prefix(std::min(beginning.find_first_not_of(" \t\r\n"), beginning.size()));
  if (beginning.starts_with("<?xml") && beginning.substr(0, looked_at).find("<tmx") != beginning.npos)
    return {"a translation memory", Way::rename, ".tmx"};
  return {};
}

/// The command that converts the file to text. The text's name includes the file's ending, because the
/// two sides of a corpus may differ only in their endings. Programs that choose names themselves write into a new
/// folder, where they overwrite nothing.
std::string remedy(const Kind& kind, const fs::path& file) {
  const fs::path stem = file.parent_path() / file.stem();
  const auto unused = [&](const char* ending) { return unused_path(file.string() + ending); };
  constexpr const char *text = "txt:Text (encoded):UTF8",
                       *table = "tsv:Text - txt - csv (StarCalc):9,,76";  // 9: tabs, 76: UTF-8
  const auto convert = [&](const char* format) {
    return shell_command({"libreoffice", "--headless", "--convert-to", format, "--outdir", unused(".d"), file});
  };
  switch (kind.way) {
    case Way::pdf:
      return shell_command({"pdftotext", file, unused(".txt")});
    case Way::document:
      return convert(text);
    case Way::sheet:
      return convert(table);
    case Way::by_name:
      return convert(file.extension() == ".xls" ? table : text);
    case Way::slides:  // LibreOffice cannot save slides as text
      return convert("pdf");
    case Way::web_page:
      return shell_command({"pandoc", "-f", kind.detail, "-t", "plain", "--wrap=none", file, "-o", unused(".txt")});
    case Way::image:
      return shell_command({"tesseract", file, unused(".txt").replace_extension()});  // the program adds .txt
    case Way::unpack:
      return shell_command({kind.detail, "-dc", file}) + " > " +
             shell_path(unused_path(file.has_extension() ? stem : fs::path(file.string() + ".txt")));
    case Way::unzip:
      return shell_command({"unzip", file, "-d", unused(".d")});
    case Way::tar:
      return shell_command({"tar", "-xf", file, "--one-top-level=" + unused(".d").string()});
    case Way::seven_zip:
      return shell_command({"7z", "x", file, "-o" + unused(".d").string()});
    case Way::rar:
      return shell_command({"unrar", "x", file, unused(".d") / ""});
    case Way::sqlite:
      return shell_command({"sqlite3", "-tabs", file, "SELECT source, target FROM pairs"}) + " > " +
             shell_path(unused(".tsv"));
    case Way::parquet:
      return shell_command({"python3", "-c",
                            "import pandas, sys; pandas.read_parquet(sys.argv[1]).to_csv(sys.argv[2], sep=\"\\t\", "
                            "index=False)",
                            file, unused(".tsv")});
    case Way::rename:
      return shell_command({"mv", file, unused_path(file.string() + std::string(kind.detail))});
  }
  return "";
}

}  // namespace

void check_is_plain(std::string_view beginning, std::string_view name, bool is_file) {
  const Kind kind = kind_of(beginning);
  if (kind.name.empty() || (kind.way == Way::rename && is_translation_memory(name))) return;
  std::error_code failure;
  const fs::path path(name);
  if (!is_file || !fs::is_regular_file(path, failure)) {
    if (kind.way == Way::web_page || kind.way == Way::rename) return;
    fail(name, "expected plain text; got {}. Hint: make text of it first", kind.name);
  }
  if (is_packed(name) && kind.way != Way::tar)
    fail(name, "expected plain text in it; got {}. Hint: unpack it first, with {}", kind.name,
         shell_command({unpacking_program(name), "-dk", path}));
  fail(name, "expected plain text; got {}. Hint: {}", kind.name, remedy(kind, path));
}

std::string_view wide_encoding(std::string_view beginning) {
  constexpr std::size_t bytes_looked_at = 512, fewest_bytes = 8;
  for (const std::string_view mark : {"\xFF\xFE\0\0"sv, "\0\0\xFE\xFF"sv})
    if (beginning.starts_with(mark)) return "UTF-32";
  for (const std::string_view mark : {"\xFF\xFE"sv, "\xFE\xFF"sv})
    if (beginning.starts_with(mark)) return "UTF-16";
  beginning = beginning.substr(0, bytes_looked_at);
  beginning.remove_suffix(beginning.size() % 4);
  if (beginning.size() < fewest_bytes) return {};
  std::array<std::size_t, 4> nuls{};  // counts by position in groups of four bytes
  for (std::size_t i = 0; i < beginning.size(); ++i) nuls[i % 4] += beginning[i] == '\0';
  const std::size_t groups = beginning.size() / 4;
  if (nuls[0] == 0 && nuls[2] == groups && nuls[3] == groups) return "UTF-32LE";
  if (nuls[3] == 0 && nuls[0] == groups && nuls[1] == groups) return "UTF-32BE";
  if (nuls[0] + nuls[2] == 0 && nuls[1] + nuls[3] >= groups) return "UTF-16LE";
  if (nuls[1] + nuls[3] == 0 && nuls[0] + nuls[2] >= groups) return "UTF-16BE";
  return {};
}

void check_is_not_wide(std::string_view beginning, std::string_view name, bool is_file) {
  const std::string_view encoding = wide_encoding(beginning);
  if (encoding.empty()) return;
  const std::string convert = shell_command({"iconv", "-f", encoding, "-t", "UTF-8"});
  const auto refuse = [&](const std::string& remedy) {
    fail(name, "expected UTF-8 text; got {}. Hint: {}", encoding, remedy);
  };
  std::error_code failure;
  const fs::path path(name);
  if (!is_file || !fs::is_regular_file(path, failure)) refuse("convert it first with " + convert);
  if (is_packed(name))  // the unpacked file, once it exists, is read instead
    refuse(fmt::format("{} | {} > {}", shell_command({unpacking_program(name), "-cd", path}), convert,
                       shell_path(unused_path(path.parent_path() / path.stem()))));
  // The converted file gets the original's name, because both sides of a corpus need the same prefix.
  const fs::path old = unused_path(path.string() + ".old");
  refuse(fmt::format("{} && {} {} > {}", shell_command({"mv", path, old}), convert, shell_path(old), shell_path(path)));
}

}  // namespace glossa
