#include "train/tensorboard_log.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "tests/support/event_reader.h"
#include "tests/support/temporary_folder.h"

using namespace glossa;
using glossa::testing::TemporaryFolder;

TEST_CASE("TensorBoard's files contain what the metrics contain, even non-finite numbers") {
  const TemporaryFolder run;
  {
    TensorboardLog log(run.path(), 0, true, "seed: 1");
    TrainingReport report{50, 1, 2.5, 12345.6, 0.001, 0.75, 61.5};
    log.training(report);
    report.update = 60;
    report.loss = std::numeric_limits<double>::quiet_NaN();
    log.training(report);
    log.validation({100, 2, 1.5, 12.5, {}, {}, 0, true, {"source  a\noutput  b", "more"}});
  }
  const glossa::testing::RecordedEvents seen = glossa::testing::read_events(run.path() / "tensorboard");
  CHECK_EQ(seen.steps("train/loss"), std::vector<std::int64_t>{50, 60});
  CHECK_EQ(seen.values.at("train/loss")[0].number, 2.5f);
  CHECK(std::isnan(seen.values.at("train/loss")[1].number));
  CHECK_EQ(seen.values.at("train/tokens_per_s")[0].number, 12345.6f);
  CHECK_EQ(seen.values.at("valid/perplexity")[0].number, static_cast<float>(std::exp(1.5)));
  CHECK_EQ(seen.values.at("valid/bleu")[0].number, 12.5f);
  CHECK_FALSE(seen.values.contains("valid/chrf"));
  CHECK_EQ(seen.values.at("samples/2")[0].text, "    more");
  CHECK_EQ(seen.values.at("configuration")[0].text, "    seed: 1");
  CHECK_EQ(seen.stops, std::vector<std::int64_t>{100});
  EventFile::cut(run.path(), 50, true);  // as at every start
  CHECK_EQ(glossa::testing::read_events(run.path() / "tensorboard").steps("train/loss"), std::vector<std::int64_t>{50});
}
