#include <cstdio>

#include "app/command_line/arguments.h"
#include "app/command_line/command_table.h"
#include "app/commands/commands.h"
#include "base/counted.h"
#include "train/run.h"

namespace glossa::commands {

namespace {

struct AverageArguments {
  std::string from, run;
  std::int64_t last = 0;
};

int run(const AverageArguments& arguments) {
  const std::filesystem::path written = write_average_run(arguments.from, arguments.last, arguments.run);
  fmt::print("wrote the mean of {} of {} to {}\n", counted(arguments.last, "checkpoint"), arguments.from,
             written.string());
  return 0;
}

}  // namespace

void add_average(CommandTable& table) {
  const auto [command, arguments] = table.add<AverageArguments>(
      {.name = "average", .help = "Average checkpoints into a new run", .group = "Exchange"}, run);
  command.add_option("RUN", arguments.from, "folder of a run")->required();
  command.add_option("--last", arguments.last, "average the newest N")->required()->check(CLI::Range(1, 1000000));
  command.add_option("--run", arguments.run, "folder to create")->required();
  add_force(command);
}

}  // namespace glossa::commands
