#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/commands/bad_lines.h"

namespace glossa {

/// Two files, line n of one with line n of the other; nothing in the place of a line that cannot be read.
struct LinePairs {
  std::vector<std::optional<std::string>> source, target;
};

/// Reads them, with what is to become of bad lines on each side. Throws where one has more lines than the other.
LinePairs read_line_pairs(const std::string& source, const std::string& target, const TextOptions& options,
                          const BadLines& in_source, const BadLines& in_target);

}  // namespace glossa
