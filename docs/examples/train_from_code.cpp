#include <cstdio>
#include <exception>
#include <string>

#include "base/console/print.h"
#include "train/checkpoint/checkpoint.h"
#include "train/trainer.h"

using namespace glossa;

/// Prints each validation, and stops training at a loss.
class Coach : public TrainingObserver {
 public:
  Coach(Requests& requests, double enough) : requests_(requests), enough_(enough) {}

  void validation(const ValidationReport& report) override {
    std::printf("update %ld: loss %.4f, chrF %.1f\n", report.update, report.loss, *report.chrf);
    if (report.loss <= enough_) requests_.stop();
  }

 private:
  Requests& requests_;
  double enough_;
};

/// Trains in the folder until the loss is low enough.
void train(const Config& config, const std::string& folder, bool resume, double enough) {
  Trainer trainer(prepare({.config = config, .run = folder, .resume = resume}));
  Coach coach(trainer.requests(), enough);
  trainer.add(coach);
  if (trainer.train() == TrainingEnd::stopped) std::printf("stopped\n");
}

std::string state_of(const std::string& folder) { return state_sha256(CheckpointReader(folder + "/checkpoints/last")); }

int main(int count, char** arguments) try {
  const std::string folder = count > 1 ? arguments[1] : "runs/from_code";
  set_message_sink([](Message, std::string_view) {});
  const Config config = config_from({{"data.train", "toy:1000"},
                                     {"data.max_tokens", 256},
                                     {"data.source", "en"},
                                     {"data.target", "hi"},
                                     {"data.tokenizer", "words"},
                                     {"model.width", 64},
                                     {"model.encoder_layers", 1},
                                     {"model.decoder_layers", 1},
                                     {"optim.lr", 0.05},
                                     {"train.max_updates", "60u"},
                                     {"train.validate_every", "20u"}});
  train(config, folder + "/stopped", false, 6);
  train(config, folder + "/stopped", true, 0);
  train(config, folder + "/whole", false, 0);
  const bool same = state_of(folder + "/stopped") == state_of(folder + "/whole");
  std::printf("the resumed run has %s bits as the undisturbed one\n", same ? "the same" : "other");
  return same ? 0 : 1;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
