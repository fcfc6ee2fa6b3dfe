#pragma once

#include <string>
#include <vector>

#include "app/command_line/program.h"
#include "train/processes/job.h"

namespace glossa::commands {

/// Runs the command given by `words`, the words after the program's name, in this process of `job`. Returns the
/// command's exit status. If the words are not a valid command, throws a misuse error whose text begins with [command
/// line]. Errors of the command itself pass through.
int run(const Program& program, std::vector<std::string> words, const Job& job);

}  // namespace glossa::commands
