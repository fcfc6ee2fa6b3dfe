// A shared object that trains a run, like a module for another language.
#include "train/trainer.h"

void train(const glossa::Config& config, const char* run) { glossa::Trainer(config, "", run, false).train(); }
