#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace glossa {

/// Examines text to translate, and warns at most once if it looks like the language that the run translates to.
/// Examines only the first lines; needs at least ten.
class LanguageWatch {
 public:
  /// `source` and `target` are the run's languages; `name` is the name of the text.
  LanguageWatch(std::string source, std::string target, std::string name);

  /// Adds a line. Once enough lines are added, compares them with the languages and ignores further lines.
  void add(std::string_view line);

  /// Compares the lines added so far, unless this was already done. Call it after the text's last line.
  void compare();

  bool has_warned() const { return has_warned_; }

 private:
  std::string source_, target_, name_;
  std::vector<std::string> lines_;
  bool is_done_ = false, has_warned_ = false;
};

}  // namespace glossa
