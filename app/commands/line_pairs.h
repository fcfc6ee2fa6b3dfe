#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/commands/bad_lines.h"

namespace glossa {

/// Two files paired line by line; an unreadable line is empty.
struct LinePairs {
  std::vector<std::optional<std::string>> source, target;
};

/// Reads them, handling bad lines as given for each side. Throws if one file has more lines.
LinePairs read_line_pairs(const std::string& source, const std::string& target, const TextOptions& options,
                          const BadLines& in_source, const BadLines& in_target);

}  // namespace glossa
