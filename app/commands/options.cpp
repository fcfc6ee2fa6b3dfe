#include <cstdio>

#include "app/commands/commands.h"
#include "train/config/config.h"

namespace glossa::commands {

int run(const Options&) {
  std::fputs(options_page().c_str(), stdout);
  return 0;
}

}  // namespace glossa::commands
