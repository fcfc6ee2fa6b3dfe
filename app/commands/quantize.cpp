#include <cstdio>

#include "app/command_line/arguments.h"
#include "app/command_line/command_table.h"
#include "app/commands/commands.h"
#include "train/run.h"

namespace glossa::commands {

namespace {

struct QuantizeArguments {
  std::string from, checkpoint, run;
};

int run(const QuantizeArguments& arguments) {
  const std::filesystem::path written = write_int8_run(RunName(arguments.from, arguments.checkpoint), arguments.run);
  fmt::print("wrote {}, {:.1f} MiB\n", written.string(),
             static_cast<double>(std::filesystem::file_size(written)) / (1 << 20));
  return 0;
}

}  // namespace

void add_quantize(CommandTable& table) {
  const auto [command, arguments] = table.add<QuantizeArguments>(
      {.name = "quantize", .help = "Make a run that decodes in int8 and loads at once", .group = "Exchange"}, run);
  add_run(command, arguments.from, arguments.checkpoint);
  command.add_option("--run", arguments.run, "folder to create")->required();
}

}  // namespace glossa::commands
