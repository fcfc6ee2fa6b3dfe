#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace glossa {

/// Attention maps of a report's runs. A run's maps are recomputed only when the run has a new best checkpoint.
class ReportAttention {
 public:
  /// Translates the sentences with a run and returns the attention maps, in the format of `glossa attention --json` but
  /// as one JSON array. Returns an empty text if the run has no checkpoint yet. For each missing map, adds the reason
  /// to `problems`, for example too many tokens for an image. If the run `is_training`, uses only one thread.
  std::string of(const std::string& run, std::span<const std::string> sentences, bool is_training,
                 std::vector<std::string>& problems);

 private:
  struct Made {
    std::string checkpoint, maps;
    std::vector<std::string> problems;
  };
  std::map<std::string, Made> made_;
};

}  // namespace glossa
