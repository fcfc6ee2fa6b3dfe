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

/// Throws unless `lines`, the line count of `path`, equals `expected`, the line count of `source`.
void check_line_count(const std::string& source, std::size_t expected, const std::string& path, std::size_t lines);

/// Reads both files. `in_source` handles the unusable lines of the source, `in_target` those of the target. Throws if
/// one file has more lines than the other.
LinePairs read_line_pairs(const std::string& source, const std::string& target, const TextOptions& options,
                          BadLines& in_source, BadLines& in_target);

}  // namespace glossa
