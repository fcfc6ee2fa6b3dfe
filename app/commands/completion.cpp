#include <cstdio>

#include "app/commands/command_line.h"
#include "app/commands/command_table.h"
#include "app/commands/commands.h"

namespace glossa::commands {

namespace {

struct CompletionArguments {
  std::string shell;
  const CLI::App* program = nullptr;
};

int run(const CompletionArguments& arguments) {
  const Command program = described(*arguments.program);
  std::fputs((arguments.shell == "zsh" ? zsh_completion(program) : bash_completion(program)).c_str(), stdout);
  return 0;
}

}  // namespace

void add_completion(CommandTable& table) {
  const auto [command, arguments] = table.add<CompletionArguments>(
      {.name = "completion", .help = "Print a shell's completion script", .group = "Help"}, run);
  command.add_option("SHELL", arguments.shell, "name of the shell")->required()->check(CLI::IsMember({"bash", "zsh"}));
  arguments.program = &table.parent();
}

}  // namespace glossa::commands
