#include "train/training_pace.h"

#include <doctest/doctest.h>

using namespace glossa;

namespace {

/// The state of a run that went from `begin` to `now` in `seconds` of training.
UpdateReport state(const TrainConfig& config, bool validates, const Progress& begin, const Progress& now,
                   double seconds) {
  return TrainingPace(config, validates, begin, 100).at(now, {.update = now.updates, .seconds = 100 + seconds});
}

TrainConfig config_with(Period validate_every) {
  TrainConfig config;
  config.max_updates = {100, Period::Unit::updates};
  config.validate_every = validate_every;
  return config;
}

}  // namespace

TEST_CASE("the time until something is due follows from the pace so far") {
  const Period updates{20, Period::Unit::updates}, epochs{1, Period::Unit::epochs};
  const Progress begin{10, 0.5, 1000}, now{50, 2.25, 5000};
  CHECK_EQ(seconds_until_due(updates, begin, now, 120).value(), doctest::Approx(30));  // at 60
  CHECK_EQ(seconds_until_due(epochs, begin, now, 7).value(), doctest::Approx(3));
  CHECK_EQ(seconds_until_due(updates, begin, {60, 3, 6000}, 50).value(), doctest::Approx(20));  // due just now
  CHECK_FALSE(seconds_until_due(updates, now, now, 0));
  CHECK_FALSE(seconds_until_due({}, begin, now, 120));
}

TEST_CASE("the pace has the part that is done, the time left and that to the next validation") {
  const TrainConfig config = config_with({20, Period::Unit::updates});
  const Progress begin{10, 1, 1000}, now{50, 5, 5000};
  const UpdateReport report = state(config, true, begin, now, 120);
  CHECK_EQ(report.part, 0.5);
  CHECK_EQ(report.epochs, 5);
  CHECK_EQ(report.training.update, 50);
  // The clock has not advanced, so the rest takes no time.
  REQUIRE(report.seconds_left.has_value());
  CHECK_LT(*report.seconds_left, 1);
  CHECK_EQ(report.seconds_to_validation.value(), *report.seconds_left);  // the end comes first
  // Events that will not come are not estimated, nor are unknown ones.
  CHECK_FALSE(state(config, false, begin, now, 120).seconds_to_validation);
  CHECK_FALSE(state(config_with({}), true, begin, now, 120).seconds_to_validation);
  const UpdateReport unknown = state(config, true, now, now, 0);
  CHECK_FALSE(unknown.seconds_left);
  CHECK_FALSE(unknown.seconds_to_validation);
}
