#include "train/tensorboard/event_file.h"

#include <doctest/doctest.h>

#include <optional>

#include "autograd/check.h"
#include "tests/support/event_reader.h"
#include "tests/support/small_disk.h"
#include "train/tensorboard/record.h"

using namespace glossa;
using namespace glossa::testing;
namespace fs = std::filesystem;

namespace {

using Steps = std::vector<std::int64_t>;

/// A run's folder, and the run's starts in it.
struct Run {
  TemporaryFolder folder;
  std::vector<std::string> damages;  // found by the last start
  fs::path events = folder / "tensorboard";

  /// Starts from `updates_done` and writes something at each of the steps.
  void start(std::int64_t updates_done, const Steps& steps, std::optional<std::int64_t> end = {}, bool resumes = true) {
    damages = EventFile::cut(folder.path(), updates_done, resumes);
    EventFile file(folder.path(), updates_done, resumes);
    for (const std::int64_t step : steps) file.scalars(step, std::vector<Scalar>{{"train/loss", 0.5 * double(step)}});
    if (!end) return;
    file.end(*end);
    file.scalars(*end, std::vector<Scalar>{{"valid/loss", 1}});
  }

  RecordedEvents seen() const { return read_events(events); }
  fs::path newest() const { return events / names_in(events).back(); }
};

}  // namespace

TEST_CASE("a resumed run leaves no step twice, and each start has a file that sorts last") {
  Run run;
  run.start(0, {10, 20, 30, 40, 50});
  CHECK_EQ(run.seen().steps("train/loss"), Steps{10, 20, 30, 40, 50});
  run.start(30, {40, 50, 60});
  CHECK_EQ(run.seen().steps("train/loss"), Steps{10, 20, 30, 40, 50, 60});
  run.start(30, {});  // killed before it wrote anything
  CHECK_EQ(run.seen().steps("train/loss"), Steps{10, 20, 30});
  run.start(30, {40});
  const RecordedEvents seen = run.seen();
  CHECK_EQ(seen.steps("train/loss"), Steps{10, 20, 30, 40});
  CHECK_EQ(seen.starts, Steps{1, 31});
  CHECK_EQ(seen.files, 2);  // a file with nothing left is absent
  CHECK_EQ(seen.torn, 0);
  CHECK_EQ(seen.values.at("train/loss").back().number, 20);
  run.start(0, {10});  // a new run in an old one's folder
  CHECK_EQ(run.seen().steps("train/loss"), Steps{10});
  CHECK_EQ(run.seen().files, 1);
}

TEST_CASE("the validation at an end stays unless the run is resumed") {
  Run run;
  run.start(0, {10, 20}, 25);
  run.start(25, {}, std::nullopt, /*resumes=*/false);
  CHECK_EQ(run.seen().steps("valid/loss"), Steps{25});
  run.start(25, {}, std::nullopt, /*resumes=*/false);
  CHECK_EQ(run.seen().steps("valid/loss"), Steps{25});
  run.start(25, {30});
  CHECK_EQ(run.seen().steps("valid/loss"), Steps{});
  CHECK_EQ(run.seen().steps("train/loss"), Steps{10, 20, 30});
  // Reported by its own start, because the previous one was killed at the end.
  run.start(30, {}, 30, /*resumes=*/false);
  run.start(30, {}, std::nullopt, /*resumes=*/false);
  CHECK_EQ(run.seen().steps("valid/loss"), Steps{30});
  run.start(30, {40});
  CHECK_EQ(run.seen().steps("valid/loss"), Steps{});
}

TEST_CASE("a torn record hides nothing: it is cut off, and new records go to another file") {
  Run run;
  run.start(0, {10, 20});
  const std::string whole = read_bytes(run.newest());
  const std::size_t one = as_record(event::scalars({1, 20}, std::vector<Scalar>{{"train/loss", 10}})).size();
  for (std::size_t lost = 1; lost < one; lost += 5) {
    CAPTURE(lost);
    for (const std::string& name : names_in(run.events)) fs::remove(run.events / name);
    run.start(0, {10, 20});
    write_bytes(run.newest(), whole.substr(0, whole.size() - lost));
    run.start(20, {30});
    CHECK(run.damages.empty());
    const RecordedEvents seen = run.seen();
    CHECK_EQ(seen.steps("train/loss"), Steps{10, 30});  // 20 would be in the metrics
    CHECK_EQ(seen.torn, 0);
  }
  write_bytes(run.newest(), std::string(100, '\0'));  // possible after a power cut
  run.start(10, {20});
  CHECK_EQ(run.seen().steps("train/loss"), Steps{10, 20});
  CHECK_EQ(run.seen().torn, 0);
}

TEST_CASE("a damaged record is reported and removed with all after it; those before it stay") {
  Run run;
  run.start(0, {10, 20, 30});
  const std::string whole = read_bytes(run.newest());
  std::string_view rest = whole;
  Steps records;  // where each starts: the version, then the steps
  for (std::size_t at = 0; next_record(rest); at = whole.size() - rest.size()) records.push_back(std::int64_t(at));
  REQUIRE_EQ(records.size(), 5);  // the mark of a session is the second
  for (std::size_t record = 0; record < records.size(); ++record) {
    CAPTURE(record);
    for (const std::string& name : names_in(run.events)) fs::remove(run.events / name);
    run.start(0, {10, 20, 30});
    const fs::path file = run.newest();
    std::string bytes = read_bytes(file);
    bytes[records[record] + 14] ^= 1;
    write_bytes(file, bytes);
    run.start(30, {40});
    REQUIRE_EQ(run.damages.size(), 1);
    CHECK(run.damages[0].starts_with(fmt::format("{} is damaged from byte {}:", file.string(), records[record])));
    const Steps stays[] = {{40}, {40}, {40}, {10, 40}, {10, 20, 40}};
    CHECK_EQ(run.seen().steps("train/loss"), stays[record]);
    CHECK_EQ(run.seen().torn, 0);
  }
}

TEST_CASE("names keep rising even if the clock does not, and other files are left alone") {
  Run run;
  run.start(0, {10});
  const fs::path later = run.events / "events.out.tfevents.4000000000.elsewhere";
  fs::rename(run.newest(), later);
  write_bytes(run.events / "notes.txt", "mine");
  run.start(10, {20});
  CHECK_EQ(names_in(run.events)[0], later.filename());
  CHECK(names_in(run.events)[1].starts_with("events.out.tfevents.4000000001."));
  CHECK_EQ(read_bytes(run.events / "notes.txt"), "mine");
}

TEST_CASE("text is shown verbatim, as code; invalid UTF-8 is replaced") {
  Run run;
  EventFile file(run.folder.path(), 0, true);
  file.text(5, "samples/1", "source   *a*\n\noutput   \xff");
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
  EventFile file(run.folder.path(), 0, true);
  file.text(5, "samples/1", "short");
  const std::string error = error_of<Error>([&] { file.text(10, "samples/1", std::string(100'000, 'x')); });
  CHECK(error.starts_with("[" + run.newest().string() + "] cannot append "));
  CHECK(error.ends_with(" bytes: No space left on device"));
  CHECK_EQ(run.seen().steps("samples/1"), Steps{5});
  CHECK_EQ(run.seen().torn, 1);
  EventFile::cut(run.folder.path(), 5, true);
  CHECK_EQ(run.seen().torn, 0);
}

TEST_CASE("a folder that cannot be created is named") {
  const TemporaryFolder run;
  run.write("tensorboard", "a file");
  CHECK_NE(error_of<Error>([&] { EventFile(run.path(), 0, true); }).find(run / "tensorboard"), std::string::npos);
}
