#pragma once

#include <string>
#include <string_view>

namespace glossa {

/// True if a corpus name ends in .csv, in any letter case; it may be packed: the name of a table with quoted cells.
bool is_csv(std::string_view name);

/// Throws a misuse error if the .csv file exists. The hint is a command that converts it to a .tsv file.
void refuse_csv(const std::string& path);

/// Throws an Error, with such a command as its hint, if a table's first rows have the same number of commas or
/// semicolons and no tabs.
void check_has_tabs(const std::string& path);

}  // namespace glossa
