#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace glossa {

/// Named numbers, one row per update, the column `update` first. NaN: not finite, or absent.
struct Series {
  std::vector<std::string> names;
  std::vector<std::vector<double>> rows;  ///< each as long as `names`, in update order

  /// The column's index; the name must exist.
  std::size_t column(std::string_view name) const;
};

/// The records of a run's metrics.jsonl. Watched corpora have their own columns: `valid_loss:NAME` and so on.
struct RunMetrics {
  Series training, validation;
  std::vector<std::string> problems;  ///< a sentence for each unusable line
};

/// Reads it; an unreadable file is also a problem. If it is `being_written`, its last line may be incomplete.
RunMetrics read_metrics(const std::filesystem::path& run, bool being_written);

/// About `most` rows at most: the first, the last and, from equal stretches between, those with each column's minimum
/// and maximum. So every peak stays.
Series thinned(const Series& series, std::size_t limit);

}  // namespace glossa
