#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "data/encoded_corpus.h"
#include "data/parallel_corpus.h"
#include "data/text/word_count.h"

namespace glossa {

/// Words that 95 % of the sources of the encoded pairs do not exceed; `text` is the corpus that was encoded.
std::int64_t usual_words(const ParallelCorpus& text, const EncodedCorpus& encoded);

/// Warns, at most once, if text to translate is much longer than the training text: if its median length exceeds the
/// length that 95 % of the training sources do not exceed. Ten lines or more are needed.
class LengthWatch {
 public:
  /// `usual` is TrainingState::usual_words; with 0, for unknown, no warning is given. `name` is that of the text.
  LengthWatch(std::int64_t usual, std::string name);

  /// Adds a line. Compares after 100 lines, after 1000, and so on.
  void add(std::string_view line);

  /// Compares the lines so far; called after the last one.
  void compare();

  bool has_warned() const { return has_warned_; }

 private:
  std::int64_t usual_;
  std::string name_;
  LineLengths lengths_;
  std::int64_t next_ = 100;
  bool has_warned_ = false;
};

}  // namespace glossa
