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

/// Returns the commands without subcommands, in help order: `generate toy`, but not `generate`.
std::vector<Command> leaves(const Command& program);

/// A configuration key that may follow --set.
struct Key {
  std::string name, help, range, usual;  // usual: the default, as YAML
  std::vector<std::string> values;       // the accepted words, or the single word "files"
};

/// Returns all keys. If `of_trained_run`, returns only those that a command accepts if it reads a trained run.
std::vector<Key> keys(bool of_trained_run = false);

/// The manual page, glossa(1), for troff.
std::string manual_page(const Command& program);

}  // namespace glossa::commands
