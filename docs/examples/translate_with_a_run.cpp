#include <cstdio>
#include <exception>
#include <iostream>

#include "decoding/translator.h"
#include "train/run.h"

int main(int count, char** arguments) try {
  const std::string folder = count > 1 ? arguments[1] : "runs/demo";
  const glossa::LoadedRun run = glossa::load_run(glossa::RunName(folder), glossa::load_run_config(folder));
  glossa::Translator translator(*run.model->transformer, run.tokenizers, run.config.data, run.config.decode);
  translator.split_sentences(run.state.text.has_one_sentence_a_line());
  for (std::string line; std::getline(std::cin, line);)
    std::puts(translator.translate({&line, 1}, "standard input").front().c_str());
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
