#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace glossa {

/// Where the runs of a report look: made anew where a run has another best checkpoint only.
class ReportAttention {
 public:
  /// An array of the maps of these sentences as JSON, as `glossa attention --json` has them, in the run's translations
  /// of them. Empty where the run has no checkpoint yet. `problems` is told what kept any from being made: a sentence
  /// of more tokens than a picture can show, for one. Leaves the cores to others if the run `is_training`.
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
