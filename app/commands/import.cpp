#include <cstdio>
#include <filesystem>

#include "app/command_line/arguments.h"
#include "app/command_line/command_table.h"
#include "app/commands/commands.h"
#include "base/check.h"
#include "exchange/import_run.h"

namespace glossa::commands {

namespace {

struct ImportArguments {
  std::string path, config, run;
  std::vector<std::string> sets;
};

int run(const ImportArguments& arguments) {
  const bool is_folder = std::filesystem::is_directory(arguments.path);
  if (is_folder && !arguments.config.empty())
    misuse(arguments.config, "expected no CONFIG with a model's folder, which sets everything itself; got one");
  if (!is_folder && arguments.config.empty()) {
    check(std::filesystem::exists(arguments.path), arguments.path,
          "expected the folder of a pretrained model, or a file of weights; not found");
    misuse(arguments.path,
           "expected the folder of a pretrained model, or a file of weights with a CONFIG that describes them; got a "
           "file without a CONFIG. Hint: unpack an archive, and name the folder, not a file in it");
  }
  const ImportedRun run = is_folder ? import_folder(arguments.path, arguments.run, arguments.sets)
                                    : import_file(arguments.path, arguments.config, arguments.run, arguments.sets);
  fmt::print("wrote {} tensors, {} parameters, to {}\n", run.tensors, run.parameters, run.checkpoint.string());
  if (is_folder) fmt::print("it translates {} to {}\n", run.source, run.target);
  return 0;
}

}  // namespace

void add_import(CommandTable& table) {
  const auto [command, arguments] = table.add<ImportArguments>(
      {.name = "import", .help = "Create a run from a pretrained model", .group = "Exchange"}, run);
  command
      .add_option("PATH", arguments.path,
                  "folder of a pretrained model (Hugging Face or Marian), or a file of weights; see "
                  "docs/exchange.md")
      ->required();
  command.add_option("CONFIG", arguments.config,
                     "for a file of weights: YAML file that describes the model and its data");
  command.add_option("--run", arguments.run, "folder to create")->required();
  add_force(command);
  add_sets(command, arguments.sets, "for a folder, only data.source and data.target");
}

}  // namespace glossa::commands
