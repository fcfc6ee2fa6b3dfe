// A shared object that trains a run, like a module for another language.
#include "train/trainer.h"

void train(const glossa::Config& config, const char* run) {
  glossa::Trainer trainer(glossa::prepare({.config = config, .run = run}));
  trainer.train();
}
