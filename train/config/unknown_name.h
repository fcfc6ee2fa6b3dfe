#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace glossa {

// Messages about an unknown configuration key or command-line word, with suggestions.

/// Returns "unknown KIND 'NAME'; did you mean 'THIS' or 'THAT'?" or, if `meant` is empty, "unknown KIND 'NAME'. Hint:
/// ...".
std::string unknown_name(std::string_view kind, std::string_view name, const std::vector<std::string>& meant,
                         std::string_view hint);

/// Keys that a user may have meant by `key`, given with or without its section: keys of this name in any section; else,
/// if `is_section`, a section; else the key with the meaning of another program's name (foreign_names.h); else the
/// nearest key or section name. Empty if none is near, or if hint_about explains the name.
std::vector<std::string> keys_meant(std::string_view key, bool is_section = false);

/// Returns a sentence about another program's name for which glossa has no key with the same values; else `usual`.
std::string_view hint_about(std::string_view key, std::string_view usual);

/// Words that a command accepts.
struct CommandWords {
  std::string command;                // as typed
  std::vector<std::string> commands;  // its subcommands
  std::vector<std::string> options;   // long names, without dashes
  /// Returns true for the keys that its --set takes; null if it takes all of them.
  bool (*takes_key)(std::string_view key) = nullptr;
};

/// Returns a message about a `word` that a command does not accept. If the word is a configuration key, suggests `--set
/// KEY=VALUE` with the `value` that follows the word; if it is not an option, suggests the options that take a text.
std::string unknown_word(const CommandWords& known, std::string_view word, std::string_view value);

/// Returns KEY=VALUE if a `--set` among the command line's words has it in several words: `data.train = x`,
/// `data.train =x`, `data.train= x` or `data.train x`. Empty if not. The last two forms only count if the command does
/// not know the word `x`.
std::string set_in_several_words(std::span<const std::string> words, std::string_view unknown);

}  // namespace glossa
