#include "report/train_log.h"

#include <doctest/doctest.h>

#include "base/check.h"
#include "data/text/text_file.h"
#include "tests/report/synthetic_run.h"

using namespace glossa;
using glossa::testing::SyntheticRun;
using Kind = RunEvent::Kind;

namespace {

std::string events_of(const RunStory& log) {
  const std::map<Kind, std::string> names{
      {Kind::stop, "stop"}, {Kind::resume, "resume"}, {Kind::refused, "refused"}, {Kind::failure, "failure"}};
  std::string text;
  for (const RunEvent& event : log.events) text += fmt::format("{} {}, ", names.at(event.kind), event.update);
  return text;
}

RunStory story_of(const std::string& log) { return parse_train_log(log).story; }

}  // namespace

TEST_CASE("a resumption names the options that it changed, and only its own") {
  const std::string time = "[2026-02-04 00:00:00] ";
  std::string log = SyntheticRun().log;
  for (const char* line :
       {"resumed run: every option is in r/config.yaml", "note: train.precision is now float; it was bf16",
        "note: train.max_updates is now 60u; it was 40u", "note: resumed at update 40 (epoch 3, batch 0)",
        "finished: stopped by a signal; 41 updates", "resumed run: every option is in r/config.yaml",
        "note: resumed at update 41 (epoch 3, batch 1)"})
    log += time + line + "\n";
  const std::vector<RunEvent> events = story_of(log).events;
  REQUIRE_GE(events.size(), 3);
  CHECK_EQ(events[events.size() - 3].text,
           "resumed at update 40 (epoch 3, batch 0); train.precision is now float; it was bf16; "
           "train.max_updates is now 60u; it was 40u");
  CHECK_EQ(events.back().text, "resumed at update 41 (epoch 3, batch 1)");
}

TEST_CASE("stops, resumptions, kills and refused updates are read from a log, each once") {
  const SyntheticRun run;
  const RunStory log = story_of(run.log);
  CHECK(events_of(log) == "stop 25, resume 25, stop 30, resume 25, refused 28, stop 40, ");
  CHECK(log.events[0].time == "2026-02-01 00:00:15");
  CHECK(log.events[0].text.starts_with("stopped by a signal"));
  CHECK(log.events[1].text == "resumed at update 25 (epoch 2, batch 5)");
  CHECK(log.events[2].time.empty());  // a kill: it is not in the log
  CHECK(log.events[2].text == "ended without a message");
  CHECK(log.events[4].text.ends_with("first seen in relu of layer 0"));
  CHECK(log.end.starts_with("train.max_updates 40u reached"));
  CHECK(log.parameters == 12345);
  REQUIRE(log.head.size() == 3);  // of the newest start, without the configuration
  CHECK(log.head[0].starts_with("2 threads of 2"));
  CHECK(log.head[2].starts_with("note: resumed"));
  const RunStory of_several = story_of(run.log.substr(0, run.log.find("[2026-02-03")));
  REQUIRE(of_several.head.size() == 4);
  CHECK(of_several.head[0] == "2 processes: 1 on first, 1 on second");
}

TEST_CASE("the clock of a log counts the time at work, past midnight and without the pauses between starts") {
  const SyntheticRun run;
  const TrainLog log = parse_train_log(run.log);
  CHECK(log.training_clock == std::map<std::int64_t, double>{{10, 10}, {20, 20}, {30, 27}, {40, 37}});
  CHECK(log.validation_clock == std::map<std::int64_t, double>{{20, 22}, {40, 40}});
}

TEST_CASE("an earlier run in the same log is ignored, and a run that continues has no end") {
  const SyntheticRun run;
  const std::string start =
      "[2026-03-01 00:00:00] configuration\nx\n[2026-03-01 00:00:00] 1 thread of 1 available, a\n";
  RunStory log = story_of(run.log + start);
  CHECK(log.events.empty());
  CHECK(log.end.empty());
  CHECK(parse_train_log(run.log + start).training_clock.empty());
  CHECK(log.head == std::vector<std::string>{"1 thread of 1 available, a"});
  log = story_of(run.log + "[2026-02-04 00:00:00] 1 thread of 1 available, a\n");
  CHECK(log.end.empty());
  CHECK(log.events.size() == 6);
  // A start that was killed before its first line of numbers.
  const std::string again =
      "[2026-02-04 00:00:00] 1 thread of 1 available, a\n"
      "[2026-02-04 00:00:00] note: resumed at update 40 (epoch 3, batch 0)\n";
  CHECK(events_of(story_of(run.log + again + again)).ends_with("stop 40, resume 40, stop 40, resume 40, "));
}

TEST_CASE("a start is recognized by its first line, and lists the options set to auto even if resumed without them") {
  const std::string time = "[2026-02-04 00:00:00] ",
                    first = time + "1 thread of 1 available, a\n" + time + "model: 5 parameters\n";
  const std::string decided = "auto data: vocab_size 20\nauto model: width 8, heads 2";
  const std::string numbers = time + "Ep. 1 : Up. 40 : loss 1.0 : ppl 2.7\n" + time + "finished: x; 40 updates\n";
  const std::string again = time + "note: resumed at update 40 (epoch 3, batch 0)\n";
  const std::string fresh = time + "new run: every option is in r/config.yaml\n" + decided + "\n" + first + numbers;
  const std::string resumed = time + "resumed run: every option is in r/config.yaml\n";
  RunStory log = story_of(fresh);
  REQUIRE_EQ(log.head.size(), 3);
  CHECK_EQ(log.head[0], "new run: every option is in r/config.yaml\n" + decided);
  log = story_of(fresh + resumed + first + again);
  CHECK_EQ(events_of(log), "stop 40, resume 40, ");
  REQUIRE_EQ(log.head.size(), 5);
  CHECK_EQ(log.head[0], decided);
  CHECK_EQ(log.head[1], "resumed run: every option is in r/config.yaml");
  log = story_of(fresh + resumed + "auto model: width 8\n" + first + again);
  REQUIRE_EQ(log.head.size(), 4);
  CHECK(log.head[0].ends_with("\nauto model: width 8"));
  // A log of version 0.2 has the options first, and the decisions with the training data.
  const std::string old =
      time + "configuration\nmodel:\n  width: auto\n" + first + time + "training data x\n" + decided + "\n" + numbers;
  log = story_of(old + first + again);
  REQUIRE_EQ(log.head.size(), 4);
  CHECK_EQ(log.head[0], decided);
  CHECK_EQ(story_of(old + resumed + first + again).head.size(), 5);
  // A new run in the same folder forgets the old one.
  log = story_of(old + time + "new run: every option is in r/config.yaml\n" + first);
  CHECK_EQ(log.head.size(), 3);
  CHECK(log.events.empty());
}

TEST_CASE("a damaged log is read as far as possible") {
  const SyntheticRun run;
  for (std::size_t size = 0; size < run.log.size(); size += 7)
    CHECK_NOTHROW(parse_train_log(run.log.substr(size / 3, size)));
  const std::string stamp = "[2026-02-04 00:00:00] ";
  for (const std::string line :
       {"finished: ; 99999999999999999999999 updates, x", "update x skipped: ", "update ", "Ep. x : Up. y", "Ep. 1",
        "note: resumed at update ", "error: ", "finished: ", "model: x", "[2026-02-04 00:00:00]"}) {
    CAPTURE(line);
    CHECK_NOTHROW(parse_train_log(stamp + line + "\n"));
    CHECK_NOTHROW(parse_train_log(run.log + stamp + line + "\n"));
  }
  const std::string longest(1 << 20, '7');  // would overflow the stack in std::regex
  CHECK_NOTHROW(parse_train_log(stamp + longest + "\n" + stamp + "finished: " + longest + "\n"));
  CHECK(story_of("rubbish\n\n\x01").events.empty());
}
