#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>

namespace glossa {

/// Examines translations for those of a model that can hardly translate: most are empty, or most are equal although
/// their sources differ. Looks at the first thousand different sources.
class OutputWatch {
 public:
  void add(const std::string& source, const std::string& output);

  /// Returns a doubt about the model, or empty text. Needs at least ten different sources.
  std::string doubt() const;

 private:
  std::set<std::string> sources_;
  std::map<std::string, std::int64_t> outputs_;  // with their numbers of different sources
};

}  // namespace glossa
