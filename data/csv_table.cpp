#include "data/csv_table.h"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <vector>

#include "base/check.h"
#include "data/text/shell_word.h"
#include "data/text/text_file.h"
#include "data/text/unpacker.h"
#include "data/text/utf8.h"

namespace glossa {

namespace {

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

/// The most frequent of the usual delimiters outside quotes; a comma if it has none.
char delimiter_of(std::string_view row) {
  const std::int64_t commas = count(row, ','), semicolons = count(row, ';'), tabs = count(row, '\t');
  if (tabs > std::max(commas, semicolons)) return '\t';
  return semicolons > commas ? ';' : ',';
}

/// The first rows of a table, at most 5.
std::vector<std::string> first_rows(const std::string& path) {
  TextOptions options{.invalid_utf8 = InvalidUtf8::replace};
  options.keep_tabs = true;
  LineReader reader(path, options);
  std::vector<std::string> rows;
  for (std::string row; rows.size() < 5 && reader.next(row);) rows.push_back(row);
  return rows;
}

/// The command that makes a .tsv of a table with this delimiter.
std::string conversion(const std::filesystem::path& path, char delimiter) {
  const std::filesystem::path stem = unpacked_name(path.native());
  const std::filesystem::path tsv = unused_path(stem.parent_path() / stem.stem() += ".tsv");
  // Cells lose their quotes, line ends and tabs, which a .tsv does not have.
  const std::string script =
      fmt::format(R"(import csv, sys; rows = csv.reader(open(sys.argv[1], encoding="utf-8-sig"){}); )"
                  R"(print(*("\t".join(" ".join(cell.split()) for cell in row) for row in rows), sep="\n"))",
                  delimiter == ','   ? ""
                  : delimiter == ';' ? R"(, delimiter=";")"
                                     : R"(, delimiter="\t")");
  const std::string_view program = unpacking_program(path.native());
  const std::string unpack = program.empty() ? "" : shell_command({program, "-dc", path}) + " | ";
  const std::filesystem::path input = program.empty() ? path : "/dev/stdin";
  return fmt::format("{}{} > {}", unpack, shell_command({"python3", "-X", "utf8", "-c", script, input}),
                     shell_path(tsv));
}

}  // namespace

bool is_csv(std::string_view name) { return utf8::lower_case(unpacked_name(name)).ends_with(".csv"); }

void refuse_csv(const std::string& path) {
  const std::vector<std::string> rows = first_rows(path);
  misuse(path, "expected a table without quotes (.tsv); got a .csv. Hint: {}",
         conversion(path, delimiter_of(rows.empty() ? "" : rows.front())));
}

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
