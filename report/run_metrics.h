#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "report/run_story.h"

namespace glossa {

/// A table of numbers with one row per update; the first column is `update`. NaN means an absent or non-finite number.
struct Series {
  std::vector<std::string> names;
  std::vector<std::vector<double>> rows;  ///< in ascending order of updates; each row is as long as `names`

  /// Returns a column's index. Throws if the name does not exist.
  std::size_t column(std::string_view name) const;
};

/// The records of a run's metrics.jsonl. Further validation corpora have their own columns, such as `valid_loss:NAME`.
struct RunMetrics {
  Series training, validation;
  std::optional<RunStory> story;      ///< the run's story as StoryReader reads it
  std::vector<std::string> problems;  ///< one sentence for each unusable line
};

/// Reads a run's metrics.jsonl. If the file is unreadable, adds the reason to `problems`. If the file is
/// `being_written`, its last line may be incomplete.
RunMetrics read_metrics(const std::filesystem::path& run, bool being_written);

/// Reduces a series to about `limit` rows. Keeps the first and the last row. Divides the rows into groups of equal
/// size. In each group, keeps the rows that have the minimum or maximum of a column. Every peak therefore remains.
Series thinned(const Series& series, std::size_t limit);

}  // namespace glossa
