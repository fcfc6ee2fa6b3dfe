// Event files of runs with train.tensorboard, including runs that are killed, resumed, or change the option.
#include <doctest/doctest.h>

#include <csignal>
#include <regex>
#include <set>
#include <tuple>

#include "tests/integration/tiny_run.h"
#include "tests/support/event_reader.h"

using namespace glossa::testing;

namespace {

using Figure = std::tuple<std::string, std::int64_t, float>;  // tag, step, value

const Strings sets{"train.tensorboard=true", "train.log_every=2u",    "train.validate_every=6u", "train.save_every=5u",
                   "train.max_updates=20",   "decode.max_tokens=512", "train.samples=3"};

Strings with(Strings list, const std::string& set) {
  list.push_back(set);
  return list;
}

/// The figures of metrics.jsonl, under TensorBoard's names.
std::multiset<Figure> figures_of_metrics(const TinyRun& tiny, const std::string& run) {
  std::multiset<Figure> figures;
  for (const std::string& line : lines_of(read_bytes(tiny / (run + "/metrics.jsonl")))) {
    if (line.starts_with("{\"event\"")) continue;
    auto values = json_object(line);
    const std::int64_t update = std::stoll(values.at("update"));
    const std::string group = values.contains("valid_loss") ? "valid/" : "train/";
    for (const auto& [key, value] : values) {
      if (key == "update" || key == "at_end") continue;
      figures.emplace(group + (key.starts_with("valid_") ? key.substr(6) : key), update,
                      static_cast<float>(std::stod(value)));
    }
  }
  return figures;
}

std::multiset<Figure> figures_of(const RecordedEvents& events) {
  std::multiset<Figure> figures;
  for (const auto& [tag, values] : events.values)
    for (const RecordedValue& value : values)
      if (tag.starts_with("train/") || tag.starts_with("valid/")) figures.emplace(tag, value.step, value.number);
  return figures;
}

RecordedEvents events_of(const TinyRun& tiny, const std::string& run, EventReader reader = EventReader::python) {
  return read_events(tiny / (run + "/tensorboard"), reader);
}

/// Checks that no tag has a step twice.
void check_steps(const RecordedEvents& events) {
  for (const auto& row : events.values) {
    const std::string& tag = row.first;
    CAPTURE(tag);
    const std::vector<std::int64_t> steps = events.steps(tag);
    CHECK_EQ(std::set<std::int64_t>(steps.begin(), steps.end()).size(), steps.size());
    CHECK(std::ranges::is_sorted(steps));
  }
}

}  // namespace

TEST_CASE("the event files have every figure of metrics.jsonl, samples and configuration; no bit changes") {
  const TinyRun tiny;
  succeeded(tiny.train("with", sets));
  succeeded(tiny.train("without", with(sets, "train.tensorboard=false")));
  CHECK_EQ(tiny.metrics("with"), tiny.metrics("without"));
  CHECK_FALSE(std::filesystem::exists(tiny / "without/tensorboard"));
  const auto weights = [&](const std::string& run) {
    return json_object(succeeded(glossa_program({"inspect", tiny / (run + "/checkpoints/last"), "--json"})).out)
        .at("sha256");
  };
  CHECK_EQ(weights("with"), weights("without"));

  const RecordedEvents events = events_of(tiny, "with");
  check_steps(events);
  CHECK_EQ(events.files, 1);
  CHECK(figures_of(events) == figures_of_metrics(tiny, "with"));
  const std::vector<std::int64_t> validations{6, 12, 18, 20};
  for (const char* tag : {"valid/bleu", "samples/1", "samples/3"}) {
    CAPTURE(tag);
    CHECK_EQ(events.steps(tag), validations);
  }
  CHECK_FALSE(events.values.contains("samples/4"));
  CHECK_NE(events.values.at("configuration")[0].text.find("\n      max_updates: 20u "), std::string::npos);
  const std::string sample = read_bytes(tiny / "with/samples/update-00000012.txt");
  std::string first = events.values.at("samples/1")[1].text;
  for (std::size_t at = 0; (at = first.find("    ", at)) != first.npos && (at == 0 || first[at - 1] == '\n');)
    first.erase(at, 4), at = first.find('\n', at) + 1;
  CHECK(sample.starts_with(first + "\n"));
}

TEST_CASE("a run that was killed and resumed has no step twice, and every figure") {
  const TinyRun tiny;
  Strings arguments = tiny.train_arguments("run", with(sets, "train.max_updates=1000000"));
  arguments.insert(arguments.begin(), tested_program());
  {
    Program program({.arguments = arguments, .input = {}, .folder = {}});
    REQUIRE(wait_for_metrics(program, tiny / "run", 9));  // beyond the first checkpoint
    program.signal(SIGKILL);
    program.wait();
  }
  const long last = tiny.last_update("run");
  const Strings further = with(sets, "train.max_updates=" + std::to_string(last + 13));
  // A kill between a checkpoint and the switch of `last` leaves a newer one, from which the run resumes.
  const Outcome resumed = succeeded(tiny.resume("run", further));
  std::smatch found;
  REQUIRE(std::regex_search(resumed.err, found, std::regex("resumed at update ([0-9]+) ")));
  const long resumed_at = std::stol(found[1]);
  CHECK_GE(resumed_at, last);
  succeeded(tiny.train("whole", further));
  CHECK_EQ(tiny.hashes("run"), tiny.hashes("whole"));
  const RecordedEvents whole = events_of(tiny, "whole");
  for (const EventReader reader : {EventReader::python, EventReader::server}) {
    const RecordedEvents events = events_of(tiny, "run", reader);
    check_steps(events);
    CHECK_EQ(events.files, 2);
    CHECK_EQ(events.starts, std::vector<std::int64_t>{0, resumed_at + 1});
    CHECK(figures_of(events) == figures_of_metrics(tiny, "run"));
    for (const auto& row : whole.values)
      if (row.first != "configuration") CHECK_EQ(events.steps(row.first), whole.steps(row.first));
  }

  // Nothing to do, and nothing changes; then training continues past the former end, whose validation remains.
  succeeded(tiny.resume("run", further));
  CHECK(figures_of(events_of(tiny, "run")) == figures_of_metrics(tiny, "run"));
  const std::multiset<Figure> before = figures_of_metrics(tiny, "run");
  succeeded(tiny.resume("run", with(sets, "train.max_updates=" + std::to_string(last + 20))));
  std::multiset<Figure> expected = figures_of_metrics(tiny, "run");
  for (const Figure& figure : before)
    if (!expected.contains(figure)) expected.insert(figure);
  for (const EventReader reader : {EventReader::python, EventReader::server}) {
    const RecordedEvents events = events_of(tiny, "run", reader);
    check_steps(events);
    CHECK(figures_of(events) == expected);
  }
}

TEST_CASE("train.tensorboard may change on resume, and steps that are trained again without it appear once") {
  const TinyRun tiny;
  succeeded(tiny.train("run", sets));
  // The newest checkpoints are lost: the run goes back to update 15, now without TensorBoard.
  for (const char* update : {"18", "20"})
    std::filesystem::remove(tiny / (std::string("run/checkpoints/update-000000") + update + ".ckpt"));
  succeeded(tiny.resume("run", with(sets, "train.tensorboard=false")));
  succeeded(tiny.resume("run", with(sets, "train.max_updates=24")));
  for (const EventReader reader : {EventReader::python, EventReader::server}) {
    const RecordedEvents events = events_of(tiny, "run", reader);
    check_steps(events);
    CHECK_EQ(events.steps("train/loss"), std::vector<std::int64_t>{2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24});
    CHECK_EQ(events.steps("configuration"), std::vector<std::int64_t>{0, 21});
  }
}

TEST_CASE("an event file that cannot be written ends the run with an error") {
  const TinyRun tiny;
  std::filesystem::create_directory(tiny / "run");
  write_bytes(tiny / "run/tensorboard", "");
  check_error(tiny.train("run", sets), 1, {"run/tensorboard]"});
}
