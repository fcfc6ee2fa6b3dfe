#include <cstdio>

#include "train/commands/commands.h"
#include "train/trainer.h"

namespace glossa::commands {

int run(const Train& arguments) {
  const Config config = load_config(arguments.config, arguments.sets);
  if (arguments.dump_config) {
    check(config);
    std::fputs(dump(config).c_str(), stdout);
    return 0;
  }
  Trainer(config, arguments.run, arguments.resume).train();
  return 0;
}

}  // namespace glossa::commands
