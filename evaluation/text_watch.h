#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "data/text/word_count.h"

namespace glossa {

/// Examines text to translate, and warns at most once if it is much longer than the training text. "Much longer" means
/// that its median length exceeds the length of 95 % of the training sources. Needs at least ten lines.
class LengthWatch {
 public:
  /// `usual` is TextStatistics::usual_words; 0 (unknown) disables the warning. `name` is the name of the text.
  LengthWatch(std::int64_t usual, std::string name);

  /// Adds a line. Compares after 100 lines, after 1000, and so on.
  void add(std::string_view line);

  /// Compares the lines added so far. Call it after the text's last line.
  void compare();

 private:
  std::int64_t usual_;
  std::string name_;
  LineLengths lengths_;
  std::int64_t next_ = 100;
  bool has_warned_ = false;
};

/// Examines text to translate, and warns at most once if it looks like the run's target language. Examines only the
/// first lines; needs at least ten.
class LanguageWatch {
 public:
  /// `source` and `target` are the run's languages; `name` is the name of the text.
  LanguageWatch(std::string source, std::string target, std::string name);

  /// Adds a line. Once there are enough lines, compares them with the languages and ignores further lines.
  void add(std::string_view line);

  /// Compares the lines added so far, unless they were already compared. Call it after the text's last line.
  void compare();

 private:
  std::string source_, target_, name_;
  std::vector<std::string> lines_;
  bool is_done_ = false;
};

}  // namespace glossa
