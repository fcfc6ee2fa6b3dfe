#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>

namespace glossa {

/// Looks for translations of a model that can hardly translate: most are empty, or most are equal although their
/// sources differ. Examines the first thousand distinct sources.
class OutputWatch {
 public:
  void add(const std::string& source, const std::string& output);

  /// Returns a doubt about the model, or empty text. Needs at least ten distinct sources.
  std::string doubt() const;

 private:
  std::set<std::string> sources_;
  std::map<std::string, std::int64_t> outputs_;  // number of distinct sources per output
};

}  // namespace glossa
