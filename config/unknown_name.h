#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"

namespace glossa {

// Errors about an unknown configuration key or command-line word, with suggestions.

/// Returns "[WHERE] unknown KIND 'NAME'; did you mean 'THIS' or 'THAT'?" or, if `meant` is empty, "[WHERE] unknown KIND
/// 'NAME'. Hint: ...".
Error::Parts unknown_name(std::string_view where, std::string_view kind, std::string_view name,
                          const std::vector<std::string>& meant, std::string_view hint);

/// Returns the keys that a user may have meant by `key`, which may have a section. The result is the first of these
/// lists that is not empty:
/// - keys of this name, in any section
/// - if `is_section`: the nearest name of a section
/// - the key that means the same as another program's name (foreign_names.h)
/// - the key or section with the nearest name
///
/// Empty if no name is near, or if hint_about explains the name.
std::vector<std::string> keys_meant(std::string_view key, bool is_section = false);

/// Returns the sentence that foreign_names.h has for another program's name `key`, or `usual` if it has no sentence.
std::string_view hint_about(std::string_view key, std::string_view usual);

/// Words that a command accepts.
struct CommandWords {
  std::string command;                   // the command as typed
  std::vector<std::string> commands;     // names of its subcommands
  std::vector<std::string> options;      // long option names, without dashes
  std::vector<std::string> places = {};  // positional arguments, such as RUN
  bool reads_text = false;               // true: reads standard input unless --input names a file
  /// Returns true for the keys that the command's --set accepts; null if it accepts all of them.
  bool (*takes_key)(std::string_view key) = nullptr;
};

/// Returns the error about a `word` that a command does not accept, with suggestions. For a configuration key, suggests
/// `--set KEY=VALUE`, where VALUE is `value`, the following word. For a word without dashes, suggests options that take
/// text, such as `--input`.
Error::Parts unknown_word(const CommandWords& known, std::string_view word, std::string_view value);

/// Finds a `--set` whose KEY=VALUE was typed as several words: `data.train = x`, `data.train =x`, `data.train= x` or
/// `data.train x`. Returns KEY=VALUE, or empty text if not found. The last two forms count only if `x` is `unknown`,
/// the word that the command does not accept.
std::string set_in_several_words(std::span<const std::string> words, std::string_view unknown);

}  // namespace glossa
