#pragma once

#include <string>
#include <vector>

#include "app/commands/description.h"

namespace CLI {
class App;
}

namespace glossa::commands {

/// Runs the command given by `words`, the words after the program's name. Returns its exit status. Errors: misuse of
/// [command line], and the command's own.
int run(std::vector<std::string> words);

/// The table of commands as declared, for manual and completion.
Command described(const CLI::App& app);

}  // namespace glossa::commands
