#include <cstdio>
#include <filesystem>

#include "train/checkpoint_folder.h"
#include "train/commands/commands.h"
#include "train/exchange.h"

namespace glossa::commands {

int run(const Export& arguments) {
  const std::filesystem::path from = arguments.run;
  const CheckpointReader checkpoint(std::filesystem::is_directory(from) ? best_checkpoint(from) : from);
  export_parameters(checkpoint, arguments.safetensors);
  fmt::print("wrote the parameters of {} to {}\n", checkpoint.path().string(), arguments.safetensors);
  return 0;
}

}  // namespace glossa::commands
