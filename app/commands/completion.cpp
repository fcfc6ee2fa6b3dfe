#include <cstdio>

#include "app/commands/commands.h"

namespace glossa::commands {

int run(const Completion& arguments) {
  const Command program = arguments.program();
  std::fputs((arguments.shell == "zsh" ? zsh_completion(program) : bash_completion(program)).c_str(), stdout);
  return 0;
}

}  // namespace glossa::commands
