#pragma once

#include <string_view>

namespace glossa {

/// The encoding of a text whose code units are wider than a byte, by its beginning: `UTF-16` or `UTF-32` after a byte
/// order mark, else `UTF-16LE` and the like if NUL bytes stand where those of Western text would. Empty for any other
/// text. The names are those that iconv takes.
std::string_view wide_encoding(std::string_view beginning);

/// Throws an Error at `name` if a text with this beginning is UTF-16 or UTF-32; its hint is the command that converts
/// the text. `is_file` is true if `name` is a path.
void check_is_not_wide(std::string_view beginning, std::string_view name, bool is_file);

}  // namespace glossa
