#pragma once

#include <string>
#include <string_view>

namespace glossa {

/// Returns `text` as a POSIX shell reads it as one word: in single quotes unless it has only harmless characters.
std::string shell_word(std::string_view text);

}  // namespace glossa
