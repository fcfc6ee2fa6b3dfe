#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace glossa {

// Messages about an unknown configuration key or command-line word, with suggestions.

/// Returns "unknown KIND 'NAME'; did you mean 'THIS' or 'THAT'?" or, if `meant` is empty, "unknown KIND 'NAME'. Hint:
/// ...".
std::string unknown_name(std::string_view kind, std::string_view name, const std::vector<std::string>& meant,
                         std::string_view hint);

/// Keys that a user may have meant by `key`, given with or without its section: keys of this name in any section, else
/// the nearest key or section name. Empty if none is near.
std::vector<std::string> keys_meant(std::string_view key);

/// Words that a command accepts.
struct CommandWords {
  std::string command;                // as typed
  std::vector<std::string> commands;  // its subcommands
  std::vector<std::string> options;   // long names, without dashes
};

/// Returns a message about a `word` that a command does not accept. If the word is a configuration key, suggests `--set
/// KEY=VALUE` with the `value` that follows the word; if it is not an option, suggests the options that take a text.
std::string unknown_word(const CommandWords& known, std::string_view word, std::string_view value);

}  // namespace glossa
