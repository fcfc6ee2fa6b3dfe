#include "data/csv_table.h"

#include <algorithm>
#include <cstdint>
#include <filesystem>

#include "autograd/check.h"
#include "data/text/shell_word.h"
#include "data/text/text_file.h"
#include "data/text/utf8.h"

namespace glossa {

namespace {

/// The most frequent of the usual delimiters outside quotes; a comma if it has none.
char delimiter_of(std::string_view row) {
  std::int64_t commas = 0, semicolons = 0, tabs = 0;
  bool is_quoted = false;
  for (const char c : row) {
    if (c == '"') is_quoted = !is_quoted;
    commas += !is_quoted && c == ',';
    semicolons += !is_quoted && c == ';';
    tabs += !is_quoted && c == '\t';
  }
  if (tabs > std::max(commas, semicolons)) return '\t';
  return semicolons > commas ? ';' : ',';
}

}  // namespace

bool is_csv(std::string_view name) {
  if (name.ends_with(".gz")) name.remove_suffix(3);
  return utf8::lower_case(name).ends_with(".csv");
}

void refuse_csv(const std::string& path) {
  std::string row;
  TextOptions options{.invalid_utf8 = InvalidUtf8::replace};
  options.keep_tabs = true;
  LineReader(path, options).next(row);
  const char delimiter = delimiter_of(row);
  const bool packed = path.ends_with(".gz");
  const std::filesystem::path tsv = unused_path(path.substr(0, path.size() - (packed ? 7 : 4)) + ".tsv");
  // Cells lose their quotes, line ends and tabs, which a .tsv does not have.
  const std::string script =
      fmt::format(R"(import csv, gzip, sys; rows = csv.reader({}open(sys.argv[1], "rt", encoding="utf-8-sig"){}); )"
                  R"(print(*("\t".join(" ".join(cell.split()) for cell in row) for row in rows), sep="\n"))",
                  packed ? "gzip." : "",
                  delimiter == ','   ? ""
                  : delimiter == ';' ? R"(, delimiter=";")"
                                     : R"(, delimiter="\t")");
  misuse(path, "expected a table without quotes (.tsv); got a .csv. Hint: {} > {}",
         shell_command({"python3", "-X", "utf8", "-c", script, std::filesystem::path(path)}), shell_path(tsv));
}

}  // namespace glossa
