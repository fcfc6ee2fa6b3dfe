#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "train/processes/job.h"

namespace glossa::commands {

/// Name and help of a command, and its heading in lists.
struct CommandHead {
  const char* name;
  const char* help;                   ///< one sentence without a period
  const char* group = "Subcommands";  ///< heading in the parent's help
};

/// A command line while it is parsed and run.
struct Invocation {
  const Job& job;
  int status = 0;                      ///< exit status of the command that ran
  std::vector<std::string> in_jobs{};  ///< names of the commands that several processes may run together
};

/// The program's commands, or the subcommands of a command such as `generate`. Each command adds itself. Help, manual
/// and completion are made from the table.
class CommandTable {
 public:
  /// The command that runs stores its exit status in `invocation`. `parent` and `invocation` must outlive the parsing.
  CommandTable(CLI::App& parent, Invocation& invocation) : parent_(parent), invocation_(invocation) {}

  /// Adds a command. Returns the command and a new Arguments object. The caller declares arguments on the command that
  /// fill the object. When the command is parsed, `run` is called with the object. `run` returns the exit status or
  /// throws Error.
  template <class Arguments>
  std::pair<CLI::App&, Arguments&> add(const CommandHead& head, int (*run)(const Arguments&)) const {
    const auto arguments = std::make_shared<Arguments>();
    return {add_command(head, false, [arguments, run] { return run(*arguments); }), *arguments};
  }

  /// Adds a command that runs in all processes of a job. Only process 0 prints.
  template <class Arguments>
  std::pair<CLI::App&, Arguments&> add(const CommandHead& head, int (*run)(const Arguments&, const Job&)) const {
    const auto arguments = std::make_shared<Arguments>();
    return {add_command(head, true, [arguments, run, &job = invocation_.job] { return run(*arguments, job); }),
            *arguments};
  }

  /// Adds a command that only has subcommands. On the command line, one of them must follow the command. Returns the
  /// table of subcommands.
  CommandTable add_table(const CommandHead& head) const;

  /// Returns the owner of the table: the program or, for subcommands, their command.
  const CLI::App& parent() const { return parent_; }

 private:
  CLI::App& add_command(const CommandHead& head, bool in_a_job, std::function<int()> run) const;

  CLI::App& parent_;
  Invocation& invocation_;
};

}  // namespace glossa::commands
