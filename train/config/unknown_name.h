#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace glossa {

// What is said of a name that there is not, of a key of the configuration or a word on the command line, and what its
// writer may have meant.

/// "unknown KIND 'NAME'; did you mean 'THIS' or 'THAT'?", or where nothing was `meant` "unknown KIND 'NAME'. Hint:
/// ...".
std::string unknown_name(std::string_view kind, std::string_view name, const std::vector<std::string>& meant,
                         std::string_view hint);

/// What `key`, with its section or without, may mean: the keys of this name in any section, else the nearest one or the
/// section of nearest name. Empty where none is near.
std::vector<std::string> keys_meant(std::string_view key);

/// The words that a command takes.
struct CommandWords {
  std::string command;                // itself, as it is typed
  std::vector<std::string> commands;  // below it
  std::vector<std::string> options;   // long names, without dashes
};

/// What is said of a `word` that a command does not take. An option of the configuration is shown as the --set that it
/// is, with the `value` that follows.
std::string unknown_word(const CommandWords& known, std::string_view word, std::string_view value);

}  // namespace glossa
