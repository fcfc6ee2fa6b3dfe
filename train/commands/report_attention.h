#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace glossa::commands {

/// Where the runs of a report look: made anew where a run has another best checkpoint only.
class ReportAttention {
 public:
  /// An array of the maps of these sentences as JSON, as `glossa attention --json` has them, in the run's translations
  /// of them: of the first ones that are not too long to be looked at. Empty where the run has no checkpoint yet.
  /// `problem` is set to what kept them from being made. Leaves the cores to others if the run `is_training`.
  std::string of(const std::string& run, std::span<const std::string> sentences, bool is_training,
                 std::string& problem);

 private:
  struct Made {
    std::string checkpoint, maps;
  };
  std::map<std::string, Made> made_;
};

}  // namespace glossa::commands
