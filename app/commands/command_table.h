#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <memory>
#include <utility>

namespace glossa::commands {

/// The head of a command.
struct CommandHead {
  const char* name;
  const char* help;                   ///< one sentence without its stop
  const char* group = "Subcommands";  ///< the heading it stands under in the help of its parent
  bool in_a_job = false;              ///< runs in all processes that mpirun starts, of which the first prints
};

/// The commands of the program, or those below one of them such as `bench`. Each adds itself (commands.h). Help, manual
/// and completion read the table.
class CommandTable {
 public:
  /// The command that is parsed leaves its exit status in `status`. Both must outlive the parsing.
  CommandTable(CLI::App& parent, int& status) : parent_(parent), status_(status) {}

  /// Adds a command. Returns it with the arguments that it fills, which the caller declares on it. Once parsed, `run`
  /// gets the arguments and returns the exit status, or throws Error.
  template <class Arguments>
  std::pair<CLI::App&, Arguments&> add(const CommandHead& head, int (*run)(const Arguments&)) const {
    const auto arguments = std::make_shared<Arguments>();
    return {add_command(head, [arguments, run] { return run(*arguments); }), *arguments};
  }

  /// Adds a command that only has others below it, one of which must follow on the command line. Returns their table.
  CommandTable add_table(const CommandHead& head) const;

  /// The program, or the command that the others are below.
  const CLI::App& parent() const { return parent_; }

 private:
  CLI::App& add_command(const CommandHead& head, std::function<int()> run) const;

  CLI::App& parent_;
  int& status_;
};

}  // namespace glossa::commands
