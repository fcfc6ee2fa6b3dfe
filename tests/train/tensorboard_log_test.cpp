#include "train/tensorboard_log.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "base/check.h"
#include "tests/support/event_reader.h"
#include "tests/support/small_disk.h"

using namespace glossa;
using namespace glossa::testing;
namespace fs = std::filesystem;

namespace {

using Steps = std::vector<std::int64_t>;

/// A run's folder, and the run's starts in it.
struct Run {
  TemporaryFolder folder;
  fs::path events = folder / "tensorboard";

  /// Starts at `first_step` and reports each of the steps.
  void start(std::int64_t first_step, const Steps& steps) const {
    TensorboardLog log(folder.path(), first_step, "seed: 1");
    for (const std::int64_t step : steps) log.training({.update = step, .loss = 0.5 * static_cast<double>(step)});
  }

  RecordedEvents seen(EventReader reader = EventReader::python) const { return read_events(events, reader); }
  Steps steps(EventReader reader = EventReader::python) const { return seen(reader).steps("train/loss"); }
  fs::path newest() const { return events / glossa::testing::names_in(events).back(); }
};

}  // namespace

TEST_CASE("TensorBoard's files contain what the metrics contain, even non-finite numbers") {
  const Run run;
  {
    TensorboardLog log(run.folder.path(), 0, "seed: 1");
    TrainingReport report{50, 1, 2.5, 12345.6, 0.001, 0.75, 61.5};
    log.training(report);
    report.update = 60;
    report.loss = std::numeric_limits<double>::quiet_NaN();
    log.training(report);
    log.validation({100, 2, 1.5, 12.5, {}, {}, 0, true, {"source  a\noutput  b", "more"}});
  }
  const RecordedEvents seen = run.seen();
  CHECK_EQ(seen.steps("train/loss"), Steps{50, 60});
  CHECK_EQ(seen.values.at("train/loss")[0].number, 2.5f);
  CHECK(std::isnan(seen.values.at("train/loss")[1].number));
  CHECK_EQ(seen.values.at("train/tokens_per_s")[0].number, 12345.6f);
  CHECK_EQ(seen.values.at("valid/perplexity")[0].number, static_cast<float>(std::exp(1.5)));
  CHECK_EQ(seen.values.at("valid/bleu")[0].number, 12.5f);
  CHECK_FALSE(seen.values.contains("valid/chrf"));
  CHECK_EQ(seen.values.at("samples/2")[0].text, "    more");
  CHECK_EQ(seen.values.at("configuration")[0].text, "    seed: 1");
}

TEST_CASE("a resumed run leaves no step twice, and each start has a file that sorts last") {
  const Run run;
  run.start(0, {10, 20, 30, 40, 50});
  run.start(31, {40, 50, 60});
  for (const EventReader reader : {EventReader::python, EventReader::server}) {
    const RecordedEvents seen = run.seen(reader);
    CHECK_EQ(seen.steps("train/loss"), Steps{10, 20, 30, 40, 50, 60});
    CHECK_EQ(seen.steps("configuration"), Steps{0, 31});
    CHECK_EQ(seen.files, 2);
  }
  run.start(31, {});  // killed before it reported anything
  CHECK_EQ(run.steps(), Steps{10, 20, 30});
  run.start(31, {40});
  for (const EventReader reader : {EventReader::python, EventReader::server}) {
    CHECK_EQ(run.steps(reader), Steps{10, 20, 30, 40});
    CHECK_EQ(run.seen(reader).steps("configuration"), Steps{0, 31});
  }
  CHECK_EQ(run.seen().starts, Steps{0, 31, 31, 31});
  run.start(0, {10});  // a new run in an old one's folder
  for (const EventReader reader : {EventReader::python, EventReader::server}) CHECK_EQ(run.steps(reader), Steps{10});
}

TEST_CASE("a torn record hides nothing, since new records go to another file") {
  const Run run, shorter;
  run.start(0, {10, 20});
  shorter.start(0, {10});
  const fs::path first = run.newest();
  const std::string whole = read_bytes(first);
  const std::size_t one = whole.size() - read_bytes(shorter.newest()).size();
  for (std::size_t lost = 1; lost < one; lost += 5) {
    CAPTURE(lost);
    for (const std::string& name : glossa::testing::names_in(run.events)) fs::remove(run.events / name);
    write_bytes(first, whole.substr(0, whole.size() - lost));
    run.start(21, {30});
    CHECK_EQ(run.steps(), Steps{10, 30});  // 20 would be in the metrics
    CHECK_EQ(run.seen().torn, 1);
  }
  write_bytes(first, std::string(100, '\0'));  // possible after a power cut
  run.start(11, {20});
  CHECK_EQ(run.steps(), Steps{20});
}

TEST_CASE("names keep rising even if the clock does not, and other files are left alone") {
  const Run run;
  run.start(0, {10});
  const fs::path later = run.events / "events.out.tfevents.4000000000.elsewhere";
  fs::rename(run.newest(), later);
  write_bytes(run.events / "notes.txt", "mine");
  run.start(11, {20});
  CHECK_EQ(glossa::testing::names_in(run.events),
           std::vector<std::string>{later.filename(), "events.out.tfevents.4000000001", "notes.txt"});
  CHECK_EQ(read_bytes(run.events / "notes.txt"), "mine");
}

TEST_CASE("text is shown verbatim, as code; invalid UTF-8 is replaced") {
  const Run run;
  TensorboardLog(run.folder.path(), 0, "").validation({.update = 5, .samples = {"source   *a*\n\noutput   \xff"}});
  const auto values = run.seen().values.at("samples/1");
  CHECK_EQ(values[0].step, 5);
  CHECK_EQ(values[0].text, "    source   *a*\n    \n    output   \xEF\xBF\xBD");
}

TEST_CASE("a full disk is an error that names the file, and earlier events remain readable") {
  const Run run;
  const SmallDisk disk(run.events, "16k");
  if (!disk.mounted()) {
    MESSAGE("only root may mount a small disk");
    return;
  }
  TensorboardLog log(run.folder.path(), 0, "");
  log.validation({.update = 5, .samples = {"short"}});
  const std::string error =
      error_of<Error>([&] { log.validation({.update = 10, .samples = {std::string(100'000, 'x')}}); });
  CHECK(error.starts_with("[" + run.newest().string() + "] cannot append "));
  CHECK(error.ends_with(" bytes: No space left on device"));
  CHECK_EQ(run.seen().steps("samples/1"), Steps{5});
  CHECK_EQ(run.seen().torn, 1);
}

TEST_CASE("a folder that cannot be created is named") {
  const TemporaryFolder run;
  run.write("tensorboard", "a file");
  CHECK_NE(error_of<Error>([&] { TensorboardLog(run.path(), 0, ""); }).find(run / "tensorboard"), std::string::npos);
}
