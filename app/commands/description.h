#pragma once

#include <string>
#include <vector>

namespace glossa::commands {

// The command line in plain words: what the manual and the completion of shells are made of.

/// What a command takes: an option or, where `names` has one name without dashes, a word in its place.
struct Argument {
  std::vector<std::string> names;    // "-v", "--verbose"; or "RUN"
  std::string value;                 // of what kind: "TEXT", "INT"; empty: an option without a value
  std::string help;                  // with its default and its range
  std::vector<std::string> choices;  // all words that it may be; empty: any
  bool required = false;
  bool repeats = false;

  const std::string& name() const { return names.back(); }
};

struct Command {
  std::string name;  // "bench step"; of the program itself: empty
  std::string help;  // one sentence without its stop
  std::vector<Argument> words, options;
  std::vector<Command> below;
};

/// The commands that take arguments, in the order of the help: `bench step`, not `bench`.
std::vector<Command> leaves(const Command& program);

/// What a shell offers for a word.
enum class Offer { words, files, folders, configurations, runs, checkpoints, keys, nothing };
Offer offer(const Argument& argument);

/// A key that may stand after --set.
struct Key {
  std::string name, help, range, usual;  // usual: its default, as YAML
  std::vector<std::string> values;       // those words of its range that it takes, or "files"
};

/// All of them, or for a command that reads a trained run those that it takes.
std::vector<Key> keys(bool of_trained_run = false);

/// Whether the command reads a trained run.
bool reads_run(const Command& command);

/// The page of the manual, glossa(1), for troff.
std::string manual_page(const Command& program);

/// What bash reads to complete the words of glossa.
std::string bash_completion(const Command& program);

/// The same for zsh, which shows what each word is for.
std::string zsh_completion(const Command& program);

}  // namespace glossa::commands
