#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <memory>
#include <utility>

namespace glossa::commands {

/// The head of a command.
struct CommandHead {
  const char* name;
  const char* help;                   ///< one sentence without full stop
  const char* group = "Subcommands";  ///< its heading in the help of its parent
  bool in_a_job = false;              ///< runs in all processes of mpirun; the first prints
};

/// The program's commands, or the subcommands of one, such as `bench`. Each adds itself (commands.h). Help, manual and
/// completion read the table.
class CommandTable {
 public:
  /// The parsed command leaves its exit status in `status`. Both must outlive the parsing.
  CommandTable(CLI::App& parent, int& status) : parent_(parent), status_(status) {}

  /// Adds a command. Returns it with its arguments, for the caller to declare. Once parsed, `run` gets the arguments
  /// and returns the exit status, or throws Error.
  template <class Arguments>
  std::pair<CLI::App&, Arguments&> add(const CommandHead& head, int (*run)(const Arguments&)) const {
    const auto arguments = std::make_shared<Arguments>();
    return {add_command(head, [arguments, run] { return run(*arguments); }), *arguments};
  }

  /// Adds a command that only has subcommands, one of which must follow on the command line. Returns their table.
  CommandTable add_table(const CommandHead& head) const;

  /// The program, or the command above these.
  const CLI::App& parent() const { return parent_; }

 private:
  CLI::App& add_command(const CommandHead& head, std::function<int()> run) const;

  CLI::App& parent_;
  int& status_;
};

}  // namespace glossa::commands
