#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tests/support/sanitized.h"

namespace glossa::testing {

/// Returns lines of a megabyte, or of a tenth with AddressSanitizer. Each repeats one text, such as a word, a sentence,
/// a space, a letter without spaces, a combining mark or an emoji.
inline std::vector<std::string> lines_of_a_megabyte() {
  constexpr std::size_t size = sanitized ? 100'000 : 1'000'000;
  std::vector<std::string> lines;
  for (const std::string_view part : {"a1 ", "a ", "a1 a2. ", "a1. a2! ", " ", "a", "\u3002", "a\u0301", "\U0001F600",
                                      "\U0001F600 ", "a1\t", "a.", "a1 b", "\u00A0", "\u0301"})
    for (std::string& line = lines.emplace_back(); line.size() < size;) line += part;
  return lines;
}

}  // namespace glossa::testing
