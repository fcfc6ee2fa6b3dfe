#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace glossa::commands {

// A plain description of the command line, from which the manual and shell completion are made.

/// An argument of a command: an option or a positional word. A positional word has a single name, without dashes.
struct Argument {
  std::vector<std::string> names;    // "-v", "--verbose"; or "RUN"
  std::string value;                 // kind of value: "TEXT", "INT"; empty if it does not take a value
  std::string help;                  // help text, including default and range
  std::vector<std::string> choices;  // allowed words; empty means any
  bool required = false;
  bool repeats = false;

  const std::string& name() const { return names.back(); }
};

struct Command {
  std::string name;  // full name, "generate toy"; empty for the program itself
  std::string help;  // one sentence without a period
  std::vector<Argument> words, options;
  std::vector<Command> below;
};

/// Returns a description of all declared commands.
Command described(const CLI::App& app);

}  // namespace glossa::commands
