#include <cstdio>

#include "autograd/check.h"
#include "train/checkpoint/checkpoint.h"
#include "train/commands/commands.h"
#include "train/exchange/exchange.h"
#include "train/model/memory_check.h"
#include "train/run.h"

namespace glossa::commands {

int run(const Export& arguments) {
  const RunName name(arguments.run, arguments.checkpoint);
  const std::vector<std::filesystem::path> files = name.files();
  if (files.size() > 1)
    misuse("--checkpoint",
           "expected one checkpoint to export; got {}. Hint: glossa average {} --last {} makes a run of them",
           files.size(), arguments.run, files.size());
  const CheckpointReader checkpoint(files.front());
  print_note(name);
  double bytes = 0;  // all are in memory together
  for (const CheckpointEntry& entry : checkpoint.entries())
    if (entry.kind == EntryKind::parameter) bytes += static_cast<double>(entry.length);
  check_model_fits(files.front(), bytes);
  export_parameters(checkpoint, arguments.safetensors);
  fmt::print("wrote the parameters of {}, update {}, to {}\n", checkpoint.path().string(),
             read_training_state(checkpoint).update, arguments.safetensors);
  return 0;
}

}  // namespace glossa::commands
