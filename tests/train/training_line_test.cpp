#include "train/training_line.h"

#include <doctest/doctest.h>

#include "tests/support/pseudo_terminal.h"

using namespace glossa;
using namespace glossa::testing;

namespace {

/// The line of a run that went from `begin` to `now` in `seconds` of training; empty without a terminal.
std::string line_of(const TrainConfig& config, bool validates, const Progress& begin, const Progress& now,
                    double seconds) {
  PseudoTerminal terminal(140);
  if (!terminal.is_there()) {
    MESSAGE("no pseudo-terminal here");
    return "";
  }
  {
    ProgressBar bar(terminal.file());
    const TrainingLine line(config, validates, begin, 100);
    line.draw(bar, now, 100 + seconds, {.update = now.updates, .epoch = 1, .loss = 2.5, .tokens_per_s = 12345.6});
  }
  const std::string& text = terminal.text();
  return text.substr(0, text.rfind("\r\x1b[K"));
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

TEST_CASE("the progress line shows the position, loss, speed, time left and next validation") {
  const TrainConfig config = config_with({20, Period::Unit::updates});
  const Progress begin{10, 1, 1000}, now{50, 5, 5000};
  const std::string line = line_of(config, true, begin, now, 120);
  if (line.empty()) return;
  // The clock has not advanced, so the rest takes no time.
  const std::string told =
      " 50% [============            ] update 50, epoch 5.00, loss 2.500, 12346 tokens/s, 0:00 left";
  CHECK_EQ(line, "\r\x1b[K" + told + ", validation in 0:00");
  // Events that will not come are not shown, nor are unknown ones.
  CHECK_EQ(line_of(config, false, begin, now, 120), "\r\x1b[K" + told);
  CHECK_EQ(line_of(config_with({}), true, begin, now, 120), "\r\x1b[K" + told);
  CHECK_EQ(line_of(config, true, now, now, 0), "\r\x1b[K" + told.substr(0, told.rfind(',')));
}
