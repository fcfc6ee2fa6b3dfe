// Differentiates (x - 3)^2 with the tape, then translates a line with a run.
#include <cstdio>

#include "autograd/operators.h"
#include "decoding/translator.h"
#include "train/run.h"

using namespace glossa;

int main(int, char** arguments) {
  Context<float> context;
  context.begin({});
  const float five = 5;
  const Variable<float> x = context.input({&five, {}});
  context.backward((x - 3) * (x - 3));
  std::printf("%g\n", x.grad()[0]);

  const LoadedRun run = load_run(RunName(arguments[1]), load_run_config(arguments[1]));
  Translator translator(*run.model->transformer, run.tokenizers, run.config.data, run.config.decode);
  std::puts(translator.translate(std::vector<std::string>{arguments[2]}, "arguments").front().c_str());
}
