#pragma once

#include <string_view>

namespace glossa {

/// Throws an Error at `name` if a file with this beginning is not plain text. The error names the file's kind, such as
/// "a PDF"; its hint is a command that converts the file to text. The members of a zip archive distinguish documents,
/// spreadsheets and other archives. `is_file` is true if `name` is a path. HTML and translation memories count as text
/// unless they come from a file.
void check_is_plain(std::string_view beginning, std::string_view name, bool is_file);

/// Returns the encoding of a text with code units wider than a byte, judging by its beginning. With a byte order mark,
/// this is `UTF-16` or `UTF-32`. Without one, it is `UTF-16LE` or similar if NUL bytes occur at the positions expected
/// in Western text. Empty for any other text. iconv accepts the names.
std::string_view wide_encoding(std::string_view beginning);

/// Throws an Error at `name` if a text with this beginning is UTF-16 or UTF-32. Its hint is a command that converts the
/// text. `is_file` is true if `name` is a path.
void check_is_not_wide(std::string_view beginning, std::string_view name, bool is_file);

}  // namespace glossa
