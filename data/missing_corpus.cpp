#include "data/missing_corpus.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <vector>

#include "base/check.h"
#include "base/folder.h"
#include "base/nearest_name.h"
#include "data/text/languages.h"
#include "data/text/shell_word.h"
#include "data/text/text_file.h"
#include "data/text/unpacker.h"
#include "data/text/utf8.h"

namespace glossa {
namespace {

namespace fs = std::filesystem;

/// Sorted names in a folder, without the endings of packed texts.
std::vector<std::string> unpacked_names(const fs::path& folder) {
  std::vector<std::string> names = names_in(folder);
  for (std::string& name : names) name.resize(unpacked_name(name).size());
  return names;
}

/// For each name that begins with `start` and ends with `end`, the remaining text between them, unless empty. Either
/// `start` or `end` is empty.
std::vector<std::string> rests(const std::vector<std::string>& names, const std::string& start,
                               const std::string& end) {
  std::vector<std::string> all;
  for (const std::string& name : names)
    if (name.starts_with(start) && name.ends_with(end) && name.size() > start.size() + end.size())
      all.push_back(name.substr(start.size(), name.size() - start.size() - end.size()));
  return all;
}

/// If the path of `file` is NAME.OTHER and a file NAME.LANGUAGE exists, returns NAME; otherwise an empty path. Both
/// files may be packed.
fs::path corpus_of(const fs::path& file, const std::string& language) {
  fs::path path = unpacked_name(file.native());
  if (!path.has_extension()) return {};
  path.replace_extension();
  const std::vector<std::string> languages =
      rests(unpacked_names(path.parent_path()), path.filename().string() + ".", "");
  const bool is_there = std::ranges::any_of(languages, [&](const auto& name) { return same_language(name, language); });
  return is_there ? path : fs::path();
}

/// An unused name for a table, with the packing of `file`.
fs::path table_name(const fs::path& file) {
  const std::string_view name = unpacked_name(file.native()),
                         packed = std::string_view(file.native()).substr(name.size());
  return unused_path(fs::path(name).replace_extension(".tsv" + std::string(packed)));
}

/// Number of delimiters outside quotes.
std::int64_t count(std::string_view row, char delimiter) {
  std::int64_t found = 0;
  bool is_quoted = false;
  for (const char c : row) {
    if (c == '"') is_quoted = !is_quoted;
    found += !is_quoted && c == delimiter;
  }
  return found;
}

/// The most frequent of the usual delimiters outside quotes; a comma if none occurs.
char delimiter_of(std::string_view row) {
  const std::int64_t commas = count(row, ','), semicolons = count(row, ';'), tabs = count(row, '\t');
  if (tabs > std::max(commas, semicolons)) return '\t';
  return semicolons > commas ? ';' : ',';
}

/// First rows of a table. Throws if the file is not text.
std::vector<std::string> first_rows(const std::string& path, std::size_t most = 5) {
  LineReader reader(path, {.invalid_utf8 = InvalidUtf8::replace, .keep_tabs = true});
  std::vector<std::string> rows;
  for (std::string row; rows.size() < most && reader.next(row);) rows.push_back(row);
  return rows;
}

/// The command that converts a table with this delimiter to a .tsv file.
std::string conversion(const fs::path& path, char delimiter) {
  const fs::path stem = unpacked_name(path.native());
  const fs::path tsv = unused_path(stem.parent_path() / stem.stem() += ".tsv");
  // Removes quotes, line ends and tabs from cells, because a .tsv file cannot have them.
  const std::string script =
      fmt::format(R"(import csv, sys; rows = csv.reader(open(sys.argv[1], encoding="utf-8-sig"){}); )"
                  R"(print(*("\t".join(" ".join(cell.split()) for cell in row) for row in rows), sep="\n"))",
                  delimiter == ','   ? ""
                  : delimiter == ';' ? R"(, delimiter=";")"
                                     : R"(, delimiter="\t")");
  const std::string_view program = unpacking_program(path.native());
  const std::string unpack = program.empty() ? "" : shell_command({program, "-dc", path}) + " | ";
  const fs::path input = program.empty() ? path : "/dev/stdin";
  return fmt::format("{}{} > {}", unpack, shell_command({"python3", "-X", "utf8", "-c", script, input}),
                     shell_path(tsv));
}

/// Refuses an existing .csv file with a misuse error. Its hint is a command that converts the file to a .tsv file.
[[noreturn]] void refuse_csv(const std::string& path) {
  const std::vector<std::string> rows = first_rows(path);
  misuse(path, "expected a table without quotes (.tsv); got a .csv. Hint: {}",
         conversion(path, delimiter_of(rows.empty() ? "" : rows.front())));
}

/// Throws for an existing file whose name is not that of a corpus.
[[noreturn]] void refuse_file(const std::string& path, const std::string& language) {
  if (is_csv(path)) refuse_csv(path);
  if (const auto rows = first_rows(path, 1); !rows.empty() && rows[0].find('\t') != std::string::npos)
    misuse(path, "expected the name of a table to end in .tsv; got another name. Hint: {}",
           shell_command({"mv", fs::path(path), table_name(path)}));
  if (const fs::path corpus = corpus_of(path, language); !corpus.empty())
    misuse(path, "expected the name of two files without their language; got one of the files. Hint: did you mean {}?",
           shell_path(corpus));
  misuse(path,
         "expected a corpus, which is two files, a table (.tsv) or a translation memory (.tmx); got one file of text. "
         "Hint: put the translation of line n into line n of a second file, and call the files NAME.{} and NAME.OTHER",
         language);
}

}  // namespace

std::string hint_about_file(const std::string& path) {
  const std::string nearest = nearest_path(path);
  return nearest.empty() ? "check the path" : fmt::format("did you mean {}?", shell_path(nearest));
}

std::string hint_about_side(const std::string& name, const std::string& language, const std::string& named_by) {
  const fs::path prefix = name;
  std::error_code failure;
  if (fs::is_regular_file(prefix, failure)) refuse_file(name, language);
  if (fs::is_directory(prefix, failure)) {
    std::vector<std::string> corpora = rests(unpacked_names(prefix), "", "." + language);
    for (std::string& name : corpora) name = shell_path(prefix / name);
    if (!corpora.empty()) return fmt::format("did you mean {}?", fmt::join(corpora, " or "));
  }
  const std::string setting = named_by.empty() ? "" : fmt::format(" (`{}` is {})", language, named_by);
  if (const fs::path folder = prefix.parent_path(); !folder.empty() && !fs::exists(folder, failure))
    if (const fs::path nearest = nearest_path(folder); !nearest.empty()) {
      const std::string corpus =
          nearest_name(prefix.filename().string(), rests(unpacked_names(nearest), "", "." + language));
      return fmt::format("did you mean {}?",
                         shell_path(nearest / (corpus.empty() ? prefix.filename() : fs::path(corpus))));
    }
  if (is_csv(name)) return hint_about_file(name);
  const std::vector<std::string> names = unpacked_names(prefix.parent_path());
  std::vector<std::string> languages = rests(names, prefix.filename().string() + ".", "");
  if (!languages.empty()) {
    const auto same = std::ranges::find_if(languages, [&](const auto& name) { return same_language(name, language); });
    const std::string nearest = same == languages.end() ? nearest_name(language, languages) : *same;
    if (!nearest.empty() && !named_by.empty())
      return fmt::format("did you mean {}?", shell_command({"--set", named_by + "=" + nearest}));
    for (std::string& ending : languages) ending = shell_path(name + "." + ending);
    return fmt::format("there is {}{}", fmt::join(languages, ", "), setting);
  }
  if (const fs::path corpus = corpus_of(prefix, language); !corpus.empty())
    return fmt::format("did you mean {}?", shell_path(corpus));
  const std::string nearest = nearest_name(prefix.filename().string(), rests(names, "", "." + language));
  if (!nearest.empty()) return fmt::format("did you mean {}?", shell_path(prefix.parent_path() / nearest));
  return fmt::format(
      "name two files by their path without .{}{}, a table (.tsv) or translation memory (.tmx) by its "
      "full name",
      language, setting);
}

bool is_csv(std::string_view name) { return utf8::lower_case(unpacked_name(name)).ends_with(".csv"); }

void check_has_tabs(const std::string& path) {
  const std::vector<std::string> rows = first_rows(path);
  if (rows.empty()) return;
  const char delimiter = delimiter_of(rows.front());
  const std::int64_t cells = count(rows.front(), delimiter);
  const bool is_other = delimiter != '\t' && cells > 0 &&
                        std::ranges::all_of(rows, [&](const auto& row) { return count(row, delimiter) == cells; });
  check(!is_other, path, "expected cells separated by TAB; got {}. Hint: {}",
        delimiter == ';' ? "semicolons" : "commas", conversion(path, delimiter));
}

}  // namespace glossa
