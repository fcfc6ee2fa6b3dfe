// A shared object with a training run in it, such as a module for another language.
#include "train/trainer.h"

void train(const glossa::Config& config, const char* run) { glossa::Trainer(config, "", run, false).train(); }
