#include <cstdio>

#include "app/command_line/command_table.h"
#include "app/commands/commands.h"
#include "config/config.h"

namespace glossa::commands {

namespace {

struct OptionsArguments {};

int run(const OptionsArguments&) {
  std::fputs(options_page().c_str(), stdout);
  return 0;
}

}  // namespace

void add_options(CommandTable& table) {
  table.add<OptionsArguments>(
      {.name = "options", .help = "Print the reference of all options (docs/options.md)", .group = "Help"}, run);
}

}  // namespace glossa::commands
