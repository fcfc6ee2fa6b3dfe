#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "train/commands/description.h"

namespace glossa::commands {

/// Declares every command with its arguments, of which help, manual and completion are made, too. The one that is
/// parsed runs, and leaves its exit status in `status`.
void add_commands(CLI::App& app, int& status);

/// The table as it is declared, for manual and completion.
Command described(const CLI::App& app);

/// What is said of the first word that no command takes; empty where there is none.
std::string about_unknown_word(const CLI::App& app, const std::vector<std::string>& words);

}  // namespace glossa::commands
