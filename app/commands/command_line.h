#pragma once

#include <string>
#include <vector>

#include "app/commands/description.h"

namespace CLI {
class App;
}

namespace glossa::commands {

/// Runs the command that `words`, those behind the program's name, say. Returns its exit status.
/// Errors: misuse of [command line], and what the command throws.
int run(std::vector<std::string> words);

/// The table of commands as it is declared, for manual and completion.
Command described(const CLI::App& app);

}  // namespace glossa::commands
