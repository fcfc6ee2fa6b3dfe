#pragma once

#include <string>
#include <vector>

namespace glossa::commands {

// A plain description of the command line: the source of the manual and of shell completion.

/// An argument of a command: an option or, if `names` is one name without dashes, a positional word.
struct Argument {
  std::vector<std::string> names;    // "-v", "--verbose"; or "RUN"
  std::string value;                 // its kind: "TEXT", "INT"; empty: an option without a value
  std::string help;                  // with its default and its range
  std::vector<std::string> choices;  // all allowed words; empty: any
  bool required = false;
  bool repeats = false;

  const std::string& name() const { return names.back(); }
};

struct Command {
  std::string name;  // "bench step"; empty for the program itself
  std::string help;  // one sentence without full stop
  std::vector<Argument> words, options;
  std::vector<Command> below;
};

/// The commands that take arguments, in help order: `bench step`, not `bench`.
std::vector<Command> leaves(const Command& program);

/// Completions of a word.
enum class Offer { words, files, folders, configurations, runs, checkpoints, keys, nothing };
Offer offer(const Argument& argument);

/// A key that may follow --set.
struct Key {
  std::string name, help, range, usual;  // usual: its default, as YAML
  std::vector<std::string> values;       // the accepted words of its range, or "files"
};

/// All keys, or those accepted by a command that reads a trained run.
std::vector<Key> keys(bool of_trained_run = false);

/// True if the command reads a trained run.
bool reads_run(const Command& command);

/// The manual page, glossa(1), for troff.
std::string manual_page(const Command& program);

/// The bash script that completes glossa's words.
std::string bash_completion(const Command& program);

/// The zsh script, which also describes each word.
std::string zsh_completion(const Command& program);

}  // namespace glossa::commands
