#pragma once

#include <optional>
#include <string>
#include <utility>

#include "app/commands/bad_lines.h"
#include "train/corpora/text_watch.h"
#include "train/decoding/translator.h"
#include "train/run.h"

namespace glossa::commands {

/// Opens the file given as --input, or standard input if `input` is empty.
LineReader open_input(const std::string& input, const TextOptions& options);

/// True if lines are to be split into sentences. `choice` is the value of --split-sentences; `auto` decides by the text
/// that the run was trained on.
bool splits_sentences(std::string_view choice, const TextStatistics& trained_on);

/// Lines of a text, as sources for a translator. Reports unusable lines, the first line with several sentences, and
/// text that is unlike the run's training text.
class SourceLines {
 public:
  /// Keeps references to `translator` and `bad_lines`. `name` is the name of the text.
  SourceLines(const Translator& translator, const LoadedRun& run, const std::string& name, BadLines& bad_lines);

  /// Adds line `number`, and returns it. A line is unusable if it is std::nullopt or the translator refuses it; it is
  /// then added, and returned, as a blank line.
  std::string add(const std::optional<std::string>& line, std::int64_t number);

  /// Returns the sources added since the last call.
  Translator::Sources take() { return std::exchange(sources_, {}); }

  /// Compares the text with the training text. Call it after the last line.
  void compare();

  /// Number of unusable lines.
  std::int64_t bad() const { return bad_; }

 private:
  const Translator& translator_;
  std::string name_;
  BadLines& bad_lines_;
  Translator::Sources sources_;
  LengthWatch lengths_;
  LanguageWatch languages_;
  std::int64_t bad_ = 0;
  bool has_split_ = false;
};

}  // namespace glossa::commands
