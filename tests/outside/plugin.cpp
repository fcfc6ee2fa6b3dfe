// A shared object that trains a run, exports it and draws its page, like a module for another language.
#include "exchange/export_run.h"
#include "report/report.h"
#include "train/trainer.h"

void train(const glossa::Config& config, const char* run) {
  glossa::Trainer trainer(glossa::prepare({.config = config, .run = run}));
  trainer.train();
  glossa::export_run(glossa::RunName(run), {.safetensors = std::string(run) + "/model.safetensors"});
}

std::string page(const glossa::Config& config, const char* run) {
  const glossa::RunHistory history = glossa::read_history(run, config);
  const glossa::RunAttention attention;
  glossa::CorpusBook corpora;
  return glossa::report_page(glossa::report_json({&history, 1}, {&attention, 1}, corpora, false));
}
