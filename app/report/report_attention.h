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
  /// A JSON array of these sentences' maps in the format of `glossa attention --json`, for the run's own translations.
  /// Empty if the run has no checkpoint yet. `problems` gets the reasons for missing maps, such as a sentence with more
  /// tokens than a picture can show. Leaves the cores to others if the run `is_training`.
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
