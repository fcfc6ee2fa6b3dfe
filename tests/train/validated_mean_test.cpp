// The validation of the mean of checkpoints at the end of training.
#include <doctest/doctest.h>
#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <utility>

#include "tests/support/sanitized.h"
#include "tests/train/trainer_fixture.h"

using namespace glossa;
using namespace glossa::testing;

namespace {

/// Bytes of this process in memory, without those that malloc keeps for reuse.
double resident() {
  malloc_trim(0);
  double pages = 0;
  std::ifstream("/proc/self/statm") >> pages >> pages;
  return pages * static_cast<double>(sysconf(_SC_PAGESIZE));
}

/// Measures the memory while validations translate.
class MemoryObserver : public TrainingObserver {
 public:
  void event(const TrainingEvent& event) override { parameters = std::max(parameters, event.parameters); }
  void validating(std::int64_t, std::int64_t) override { newest = std::max(newest, resident()); }
  void validation(const ValidationReport&) override { ordinary = std::max(ordinary, std::exchange(newest, 0)); }

  std::int64_t parameters = 0;
  double ordinary = 0;  ///< maximum of the validations of the weights
  double newest = 0;    ///< maximum since these; after training, of the validation of the mean
};

}  // namespace

TEST_CASE("validating the mean of checkpoints needs no memory for a copy of the weights") {
  if (sanitized) return;  // it keeps freed memory for a while, to detect uses
  TrainerFixture fixture;
  fixture.config.model.transformer.stack.width = 256;
  fixture.config.model.transformer.stack.feed_forward = 1024;
  fixture.config.model.transformer.encoder_layers = fixture.config.model.transformer.decoder_layers = 2;
  fixture.config.train.max_updates = updates(4);
  fixture.config.train.validate_every = fixture.config.train.save_every = updates(2);
  fixture.config.decode.average = 2;
  fixture.config.decode.max_length_factor = 0;
  fixture.config.decode.max_length_extra = 4;
  const Quiet quiet;
  Trainer trainer(fixture.prepared(fixture.config, "run"));
  MemoryObserver memory;
  trainer.add(memory);
  trainer.train();
  const double weights = sizeof(float) * static_cast<double>(memory.parameters);
  CHECK_GT(weights, 12 << 20);
  CHECK_GT(memory.newest, 0);
  CHECK_LT(memory.newest - memory.ordinary, weights / 2);
  CHECK_NE(read_bytes(fixture / "run/train.log").find("Mean of the newest 2 checkpoints"), std::string::npos);
}
