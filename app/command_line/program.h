#pragma once

#include <optional>

namespace glossa::commands {

class CommandTable;

/// A command that a program no longer has.
struct MovedCommand {
  const char* name;
  const char* program;  ///< program that has the command now
  const char* hint;     ///< explains how to get that program
};

/// A program whose first word is a command.
struct Program {
  const char* name;
  const char* help;                           ///< one line without a period
  void (*add_commands)(CommandTable& table);  ///< adds all commands, in the order of help, manual and completion
  std::optional<MovedCommand> moved = {};
};

/// Does the work of a `main` function: joins the processes that mpirun started, runs the command given by the
/// arguments, and prints errors. Returns the exit status: 2 for misuse, 1 for any other failure. If memory runs out,
/// even before main, the program also ends with an error.
int run_program(const Program& program, int argc, char** argv) noexcept;

}  // namespace glossa::commands
