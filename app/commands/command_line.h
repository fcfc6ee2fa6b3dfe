#pragma once

#include <string>
#include <vector>

#include "app/commands/description.h"
#include "train/processes/job.h"

namespace CLI {
class App;
}

namespace glossa::commands {

/// Runs the command given by `words`, the words after the program's name, in this process of `job`. Returns the
/// command's exit status. If the words are not a valid command, throws a misuse error whose text begins with [command
/// line]. Errors of the command itself pass through.
int run(std::vector<std::string> words, const Job& job);

/// Returns a description of all declared commands, for the manual and shell completion.
Command described(const CLI::App& app);

}  // namespace glossa::commands
