#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace glossa {

/// Attention of a run in a report.
struct RunAttention {
  std::string maps;  ///< JSON array in the format of `glossa attention --json`; empty: no checkpoint yet
  std::vector<std::string> missing;  ///< sentences without maps, one text per reason
};

/// Attention for a report's runs. A run's maps are recomputed only when the run has a new best checkpoint.
class ReportAttention {
 public:
  /// Translates the sentences with a run and returns the attention maps. If the checkpoint cannot be read, adds the
  /// reason to `problems`. If the run `is_training`, uses only one thread.
  RunAttention of(const std::string& run, std::span<const std::string> sentences, bool is_training,
                  std::vector<std::string>& problems);

 private:
  struct Made {
    std::string checkpoint;
    RunAttention attention;
  };
  std::map<std::string, Made> made_;
};

}  // namespace glossa
