#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "data/text_statistics.h"
#include "train/decoding/translator.h"

namespace glossa::commands {

/// True if lines are to be split into sentences. `choice` is the value of --split-sentences; `auto` decides by the text
/// that the run was trained on.
bool splits_sentences(std::string_view choice, const TextStatistics& trained_on);

/// Divides lines as a translator does, and prints a note at the first line with several sentences.
class SentenceNote {
 public:
  explicit SentenceNote(const Translator& translator) : translator_(translator) {}

  /// Returns the line's sentences. `where` is the place of the line, for the note.
  std::vector<std::string_view> sentences(std::string_view line, const std::string& where);

 private:
  const Translator& translator_;
  bool is_printed_ = false;
};

}  // namespace glossa::commands
