#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace glossa {

// Messages about an unknown name, be it a configuration key or a command-line word, with suggestions for the intended
// one.

/// "unknown KIND 'NAME'; did you mean 'THIS' or 'THAT'?", or if `meant` is empty "unknown KIND 'NAME'. Hint: ...".
std::string unknown_name(std::string_view kind, std::string_view name, const std::vector<std::string>& meant,
                         std::string_view hint);

/// Candidates for `key`, with or without its section: keys of this name in any section, else the nearest key or the
/// section with the nearest name. Empty if none is near.
std::vector<std::string> keys_meant(std::string_view key);

/// Words that a command accepts.
struct CommandWords {
  std::string command;                // the command, as typed
  std::vector<std::string> commands;  // below it
  std::vector<std::string> options;   // long names, without dashes
};

/// Message about a `word` that a command does not accept. A configuration option is shown as its --set, with the
/// `value` that follows.
std::string unknown_word(const CommandWords& known, std::string_view word, std::string_view value);

}  // namespace glossa
