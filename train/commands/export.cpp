#include <cstdio>

#include "autograd/check.h"
#include "train/commands/commands.h"
#include "train/exchange.h"
#include "train/run.h"

namespace glossa::commands {

int run(const Export& arguments) {
  const auto files = checkpoint_files(name_run(arguments.run, arguments.checkpoint));
  if (files.size() > 1)
    misuse("--checkpoint",
           "expected one checkpoint to export; got {}. Hint: glossa average {} --last {} makes a run of them",
           files.size(), arguments.run, files.size());
  const CheckpointReader checkpoint(files.front());
  export_parameters(checkpoint, arguments.safetensors);
  fmt::print("wrote the parameters of {} to {}\n", checkpoint.path().string(), arguments.safetensors);
  return 0;
}

}  // namespace glossa::commands
