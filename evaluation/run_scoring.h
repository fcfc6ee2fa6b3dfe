#pragma once

#include <optional>
#include <string>
#include <vector>

#include "data/text/text_file.h"
#include "decoding/scoring.h"
#include "train/run.h"

namespace glossa {

/// The lines of two texts, cleaned (clean_line) and paired by line number; an unusable line is std::nullopt.
struct LinePairs {
  std::string source_name = "source", target_name = "target";  // names for errors
  std::vector<std::optional<std::string>> source = {}, target = {};
};

/// Throws unless the numbers of lines are equal: `lines` of `path`, and `expected` of `source`.
void check_line_count(const std::string& source, std::size_t expected, const std::string& path, std::size_t lines);

/// Scores each target given its source. Returns one score per pair, in order. A score is empty if a line of
/// its pair is std::nullopt, or if the pair is at fault (for example, a line is empty), which `bad_line` is called
/// with. Warns if the sources are unlike the run's training text. Call apply_runtime first. Throws if the texts have
/// different numbers of lines.
std::vector<std::optional<ScoredTranslation>> score(const LoadedRun& run, const LinePairs& lines,
                                                    const LineErrorHandler& bad_line = {});

}  // namespace glossa
