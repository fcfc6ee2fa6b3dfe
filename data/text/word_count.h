#pragma once

#include <cstdint>
#include <map>
#include <string_view>

namespace glossa {

/// Number of words: pieces of text between white space. In scripts without spaces, such as Chinese, Japanese and Thai,
/// each character counts as a word.
std::int64_t count_words(std::string_view text);

/// Distribution of line lengths in words. Its memory depends only on the number of different lengths.
class LineLengths {
 public:
  /// Adds a line; lines without words do not count.
  void add(std::string_view line) { add_words(count_words(line)); }

  /// Adds a line with `words` words.
  void add_words(std::int64_t words);

  std::int64_t lines() const { return lines_; }

  /// The smallest length that at least the fraction `share` of the lines does not exceed; 0 without lines.
  std::int64_t quantile(double share) const;

 private:
  std::map<std::int64_t, std::int64_t> counts_;  // number of lines for each length
  std::int64_t lines_ = 0;
};

}  // namespace glossa
