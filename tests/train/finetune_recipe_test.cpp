// The recipe for fine-tuning validates as often on a small translation memory as on a large one.
#include <doctest/doctest.h>

#include "config/config.h"

using namespace glossa;

namespace {

/// Number of periods that fall due while a corpus of `updates` updates per epoch is trained on until `end`.
int times_due(const Period& period, const Period& end, std::int64_t updates) {
  Progress before;
  int times = 0;
  while (!end.reached(before)) {
    Progress after = before;
    ++after.updates;
    after.epochs = static_cast<double>(after.updates) / static_cast<double>(updates);
    times += period.due(before, after) ? 1 : 0;
    before = after;
  }
  return times;
}

}  // namespace

TEST_CASE("fine-tuning validates, saves and logs by the size of the corpus") {
  const Config config = load_config(GLOSSA_SOURCE_DIR "/recipes/finetune.yaml");
  const TrainConfig& train = config.train;
  CHECK(config.optim.warmup == train.validate_every);  // else patience may end a short training within the warm-up
  for (const std::int64_t updates :
       {20, 75, 110, 5000}) {  // 3,000 short or usual units, 10,000 questions, a large text
    CAPTURE(updates);
    const int validations = times_due(train.validate_every, train.max_epochs, updates);
    CHECK(validations == 10);
    CHECK(validations > 2 * train.patience);  // else it cannot end training early
    CHECK(times_due(train.save_every, train.max_epochs, updates) == validations);
    CHECK(times_due(train.log_every, train.max_epochs, updates) >= 2 * validations);
  }
}
