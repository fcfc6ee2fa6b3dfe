#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace glossa::commands {

// A plain description of the command line: the source of the manual and of shell completion.

/// An argument of a command: an option or a positional word. A positional word has a single name, without dashes.
struct Argument {
  std::vector<std::string> names;    // "-v", "--verbose"; or "RUN"
  std::string value;                 // kind of its value: "TEXT", "INT"; empty if it has no value
  std::string help;                  // including its default and range
  std::vector<std::string> choices;  // the allowed words; empty means any
  bool required = false;
  bool repeats = false;

  const std::string& name() const { return names.back(); }
};

struct Command {
  std::string name;  // "generate toy"; empty for the program itself
  std::string help;  // one sentence without full stop
  std::vector<Argument> words, options;
  std::vector<Command> below;
};

/// Returns a description of all declared commands.
Command described(const CLI::App& app);

}  // namespace glossa::commands
