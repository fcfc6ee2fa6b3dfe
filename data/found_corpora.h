#pragma once

#include <string>
#include <vector>

namespace glossa {

/// Corpora that one name stands for.
struct FoundCorpora {
  std::vector<std::string> names;    // sorted
  std::vector<std::string> ignored;  // files that belong to no corpus of the two languages, sorted
};

/// True if `name` is not the name of one corpus but of a folder, of a zip archive (as of OPUS), or a pattern of file
/// names: `*` matches any text, `?` one character, and `[...]` one of several. The name of an existing corpus is none
/// of these.
bool names_several(const std::string& name, const std::string& source_language, const std::string& target_language);

/// True if the folder or archive is there, or if the pattern matches a file. Only for names for which `names_several`
/// returns true.
bool has_several(const std::string& name, const std::string& source_language, const std::string& target_language);

/// Finds the corpora in a folder or an archive, or those whose files match a pattern: a pair of files by its common
/// name without language, tables and translation memories by their full names. Archives in a folder count, folders in
/// it do not. A pattern may match files of either language, or their common name: `part-*.en.gz` and `part-*` find the
/// same pairs of files. Throws an Error if no corpus is found.
FoundCorpora find_corpora(const std::string& name, const std::string& source_language,
                          const std::string& target_language);

}  // namespace glossa
