#pragma once

#include <string>

#include "app/commands/bad_lines.h"
#include "train/run_scoring.h"

namespace glossa {

/// Reads both files. `in_source` handles the unusable lines of the source, `in_target` those of the target. Throws if
/// one file has more lines than the other.
LinePairs read_line_pairs(const std::string& source, const std::string& target, const TextOptions& options,
                          BadLines& in_source, BadLines& in_target);

}  // namespace glossa
