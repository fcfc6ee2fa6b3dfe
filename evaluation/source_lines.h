#pragma once

#include <optional>
#include <string>
#include <utility>

#include "data/text/text_file.h"
#include "decoding/translator.h"
#include "evaluation/text_watch.h"
#include "train/run.h"

namespace glossa {

/// Lines of a text, collected as sources for a translator. Reports the first line with several sentences, and text that
/// is unlike the run's training text.
class SourceLines {
 public:
  /// Keeps a reference to `translator`. `name` is the name of the text. `handler` handles the errors of unusable lines.
  SourceLines(const Translator& translator, const LoadedRun& run, const std::string& name, LineErrorHandler handler);

  /// Adds line `number` and returns it. If the line is unusable, adds and returns a blank line instead. A line is
  /// unusable if it is std::nullopt or the translator refuses it.
  std::string add(const std::optional<std::string>& line, std::int64_t number);

  /// Returns the sources added since the last call.
  Translator::Sources take() { return std::exchange(sources_, {}); }

  /// Compares the text with the training text. Call it after the last line.
  void compare();

  /// Returns the number of unusable lines.
  std::int64_t bad() const { return bad_; }

 private:
  const Translator& translator_;
  std::string name_;
  LineErrorHandler handler_;
  Translator::Sources sources_;
  LengthWatch lengths_;
  LanguageWatch languages_;
  std::int64_t bad_ = 0;
  bool has_split_ = false;
};

}  // namespace glossa
