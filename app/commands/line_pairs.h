#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/commands/bad_lines.h"

namespace glossa {

/// Two files paired line by line; an unusable line is std::nullopt.
struct LinePairs {
  std::vector<std::optional<std::string>> source, target;
};

/// Reads both files; `in_source` and `in_target` handle the files' unusable lines. Throws if one file has more lines
/// than the other.
LinePairs read_line_pairs(const std::string& source, const std::string& target, const TextOptions& options,
                          const BadLines& in_source, const BadLines& in_target);

}  // namespace glossa
