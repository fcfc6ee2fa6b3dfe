#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace glossa {

/// Warns, at most once, if text to translate looks like the language that a run translates to. Reads the first lines
/// only; ten or more are needed.
class LanguageWatch {
 public:
  /// Names of the run's languages, and of the text.
  LanguageWatch(std::string source, std::string target, std::string name);

  /// Adds a line; compares after the last one that is read.
  void add(std::string_view line);

  /// Compares if the text has fewer lines; called after its last one.
  void compare();

  bool has_warned() const { return has_warned_; }

 private:
  std::string source_, target_, name_;
  std::vector<std::string> lines_;
  bool is_done_ = false, has_warned_ = false;
};

}  // namespace glossa
