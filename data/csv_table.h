#pragma once

#include <string>
#include <string_view>

namespace glossa {

/// True if a corpus name is that of a table with quoted cells: it ends in .csv or .csv.gz, in any letter case.
bool is_csv(std::string_view name);

/// Throws misuse for an existing .csv file; the hint is a command that writes it as a .tsv.
void refuse_csv(const std::string& path);

}  // namespace glossa
