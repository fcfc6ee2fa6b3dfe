#pragma once

#include <string>
#include <vector>

namespace glossa {

/// Corpora that one name denotes.
struct FoundCorpora {
  std::vector<std::string> names;    // names of the corpora, sorted
  std::vector<std::string> ignored;  // files that belong to no corpus of the two languages, sorted
};

/// True if `name` is not an existing corpus, but a folder, a zip archive (such as OPUS's), or a pattern of file names.
/// In a pattern, `*` matches any text, `?` one character, and `[...]` one of several.
bool names_several(const std::string& name, const std::string& source_language, const std::string& target_language);

/// True if the folder or archive exists, or if the pattern matches a file. Requires that `names_several` returns true.
bool has_several(const std::string& name, const std::string& source_language, const std::string& target_language);

/// Finds the corpora in a folder or an archive, or those with files that match a pattern. The result names two files by
/// their common name without the language, and a table or translation memory by its full name. Archives in a folder are
/// searched, but not its subfolders. A pattern may match files of either language, or their common name: `part-*.en.gz`
/// and `part-*` find the same pairs of files. Throws an Error if no corpus is found.
FoundCorpora find_corpora(const std::string& name, const std::string& source_language,
                          const std::string& target_language);

}  // namespace glossa
