#include <cstdio>
#include <filesystem>

#include "app/commands/commands.h"
#include "train/processes/job.h"
#include "train/run.h"
#include "train/trainer.h"

namespace glossa::commands {

int run(const Train& arguments) {
  const std::filesystem::path named_after_config = "runs" / std::filesystem::path(arguments.config).stem();
  const std::string run = arguments.run.empty() ? named_after_config.string() : arguments.run;
  Config config;
  job().together([&] { config = load_training_config(arguments.config, arguments.sets, run, arguments.resume); });
  if (arguments.dump_config) {
    check(config);
    std::fputs(dump(config).c_str(), stdout);
    return 0;
  }
  take_signals_aside();
  Trainer(config, arguments.config, run, arguments.resume).train();
  return 0;
}

}  // namespace glossa::commands
