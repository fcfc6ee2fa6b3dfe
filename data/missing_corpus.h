#pragma once

#include <string>
#include <string_view>

namespace glossa {

// Hints for a corpus that is not found, based on the files that exist in its place.

/// Returns the hint for a missing corpus of one file.
std::string hint_about_file(const std::string& path);

/// Returns the hint for a corpus of two files that lacks the file `PREFIX.language`: its other languages, or the corpus
/// with the nearest name. `named_by` is the option with the value `language`, or empty. If `prefix` itself is a file,
/// throws an error that names the file's kind.
std::string hint_about_side(const std::string& prefix, const std::string& language, const std::string& named_by);

/// True if a corpus name ends in .csv, in any letter case and packed or not. Such tables may have quoted cells, which
/// are not supported.
bool is_csv(std::string_view name);

/// Throws an Error if a table's first rows have equal numbers of commas or semicolons and no tabs. Its hint is a
/// command that converts the table to a .tsv file.
void check_has_tabs(const std::string& path);

}  // namespace glossa
