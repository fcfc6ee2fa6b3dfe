#include <cstdio>

#include "app/command_line/arguments.h"
#include "app/command_line/command_table.h"
#include "app/commands/commands.h"
#include "base/check.h"
#include "exchange/export_run.h"

namespace glossa::commands {

namespace {

struct ExportArguments {
  std::string run, checkpoint;
  ExportPaths paths;
};

int run(const ExportArguments& arguments) {
  const ExportPaths& paths = arguments.paths;
  if (paths.safetensors.empty() && paths.huggingface.empty() && paths.marian.empty())
    misuse("export", "expected --safetensors, --huggingface or --marian; got none");
  const RunName name(arguments.run, arguments.checkpoint);
  export_run(name, paths, [&](const std::string& path, std::int64_t update) {
    if (path == paths.safetensors)
      fmt::print("wrote the parameters of {}, update {}, to {}\n", name.file().string(), update, path);
    else
      fmt::print("wrote the model of {}, update {}, to {}\n", arguments.run, update, path);
  });
  return 0;
}

}  // namespace

void add_export(CommandTable& table) {
  const auto [command, arguments] = table.add<ExportArguments>(
      {.name = "export", .help = "Write a model for other programs", .group = "Exchange"}, run);
  add_run(command, arguments.run, arguments.checkpoint);
  command.add_option("--safetensors", arguments.paths.safetensors, "file to write: the weights, under PyTorch's names");
  command.add_option("--huggingface", arguments.paths.huggingface,
                     "folder to create, for MarianMTModel of transformers");
  command.add_option("--marian", arguments.paths.marian, "folder to create, for Marian's tools");
}

}  // namespace glossa::commands
