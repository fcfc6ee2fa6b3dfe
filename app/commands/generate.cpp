#include <cstdio>

#include "app/commands/commands.h"
#include "autograd/check.h"
#include "data/toy/corpus.h"

namespace glossa::commands {

int run(const GenerateToy& arguments) {
  const ToySplits splits = toy_corpus(arguments.pairs, static_cast<std::uint64_t>(arguments.seed), "--pairs");
  write_toy(arguments.out, splits);
  fmt::print("{}: {} training, {} validation and {} test pairs\n", arguments.out, splits.train.size(),
             splits.valid.size(), splits.test.size());
  return 0;
}

}  // namespace glossa::commands
