#pragma once

#include <string>

namespace glossa {

// Hints for a corpus that is not found: what lies there instead.

/// Returns the hint for a corpus of one file.
std::string hint_about_file(const std::string& path);

/// Returns the hint for a corpus of two files without the file `PREFIX.language`: its other languages, or the corpus
/// with the nearest name. `named_by` is the option whose value is `language`, or empty. If `prefix` itself is a file,
/// throws the error that says of which kind.
std::string hint_about_side(const std::string& prefix, const std::string& language, const std::string& named_by);

}  // namespace glossa
