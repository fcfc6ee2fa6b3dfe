#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/commands/bad_lines.h"

namespace glossa {

/// The lines of two files, paired by line number; an unusable line is std::nullopt.
struct LinePairs {
  std::vector<std::optional<std::string>> source, target;
};

/// Reads both files. `in_source` handles the unusable lines of the source, `in_target` those of the target. Throws if
/// one file has more lines than the other.
LinePairs read_line_pairs(const std::string& source, const std::string& target, const TextOptions& options,
                          const BadLines& in_source, const BadLines& in_target);

}  // namespace glossa
