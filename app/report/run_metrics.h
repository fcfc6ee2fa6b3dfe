#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace glossa {

/// Numbers under names, one row an update, the column `update` first. NaN: not finite, or not there.
struct Series {
  std::vector<std::string> names;
  std::vector<std::vector<double>> rows;  ///< each as long as `names`, in order of updates

  /// Which column it is; the name must be one.
  std::size_t column(std::string_view name) const;
};

/// The records of a run's metrics.jsonl. Watched corpora have columns of their own: `valid_loss:NAME` and so on.
struct RunMetrics {
  Series training, validation;
  std::vector<std::string> problems;  ///< a sentence for each line that could not be used
};

/// Reads it; a file that cannot be read is a problem, too. The last line of one that is `being_written` may be half of
/// one.
RunMetrics read_metrics(const std::filesystem::path& run, bool being_written);

/// At most about `most` of the rows: the first, the last and, of equal stretches between, those with the least and the
/// greatest number of each column. So every peak stays.
Series thinned(const Series& series, std::size_t most);

}  // namespace glossa
