#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace glossa {

/// Attention of a report's runs, recomputed only when a run has a new best checkpoint.
class ReportAttention {
 public:
  /// Translates the sentences with the run and returns the attention maps as a JSON array in the format of `glossa
  /// attention --json`. Empty if the run has no checkpoint yet. Adds to `problems` the reason for each missing map, for
  /// example too many tokens for an image. Uses only one thread if the run `is_training`.
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
