#include "report/run_story.h"

#include <doctest/doctest.h>

#include "base/check.h"
#include "report/run_history.h"
#include "tests/support/metrics_text.h"
#include "tests/train/trainer_fixture.h"

using namespace glossa;
using namespace glossa::testing;

namespace {

std::string text_of(const RunStory& story) {
  std::string text = fmt::format("{} | {} | {}\n", story.state, story.end, story.parameters);
  for (const RunEvent& event : story.events)
    text += fmt::format("{} {} {}\n", static_cast<int>(event.kind), event.update, event.text);
  for (const std::string& line : story.head) text += line + "\n";
  return text;
}

/// Checks that the story of a run is the same from its events and, as for a run of an older version, from its log.
RunStory checked_story(const TrainerFixture& fixture, const std::string& run) {
  const auto metrics = fixture / run / "metrics.jsonl";
  const std::string before = read_bytes(metrics);
  const RunStory from_events = read_history(fixture / run, fixture.config).story;
  write_bytes(metrics, figures_in(before));
  CHECK_EQ(text_of(from_events), text_of(read_history(fixture / run, fixture.config).story));
  write_bytes(metrics, before);
  return from_events;
}

}  // namespace

TEST_CASE("the story of a run from its events is that from its log: ends, resumptions, kills, options set to auto") {
  TrainerFixture fixture;
  fixture.config.undecided = {"model.heads"};
  fixture.config.train.bleu_tokenize = BleuTokenizer::mteval_13a;
  fixture.config.train.max_updates = updates(6);
  fixture.config.train.log_every = updates(2);
  fixture.train(fixture.config, "run");
  CHECK_EQ(checked_story(fixture, "run").state, "finished");
  fixture.config.undecided.clear();
  fixture.config.model.transformer.stack.heads = 4;
  fixture.config.train.max_updates = updates(9);
  fixture.train(fixture.config, "run", true);
  RunStory story = checked_story(fixture, "run");
  REQUIRE_EQ(story.events.size(), 3);
  CHECK_EQ(story.head[0], "auto model: heads 4");
  CHECK_EQ(story.events[1].text, "resumed at update 6 (epoch 1, batch 6); train.max_updates is now 9u; it was 6u");
  CHECK_GT(story.parameters, 0);

  // Killed after update 12.
  fixture.config.train.max_updates = updates(12);
  fixture.train(fixture.config, "run", true);
  for (const char* name : {"metrics.jsonl", "train.log"}) {
    const auto file = fixture / "run" / name;
    const std::string text = read_bytes(file);
    const std::size_t end = text.rfind(name[0] == 'm' ? "{\"event\":\"end\"" : "[20", text.rfind("finished: "));
    write_bytes(file, text.substr(0, end));
  }
  CHECK_EQ(checked_story(fixture, "run").state, "killed");
  fixture.config.train.max_updates = updates(13);
  fixture.train(fixture.config, "run", true);
  story = checked_story(fixture, "run");
  REQUIRE_EQ(story.events.size(), 7);
  CHECK_EQ(story.events[4].text, "ended without a message");
  CHECK_EQ(story.events[4].update, 12);
}

TEST_CASE("the story of a run from its events is that from its log: refused updates and a failure") {
  TrainerFixture fixture;
  fixture.config.optim.schedule.lr = 1e30;
  fixture.config.train.max_updates = updates(20);
  fixture.config.train.max_bad_updates = 3;
  CHECK_THROWS_AS(fixture.train(fixture.config, "run"), Error);
  const RunStory story = checked_story(fixture, "run");
  REQUIRE_EQ(story.state, "failed");
  CHECK_GE(story.events.size(), 4);
  CHECK(story.events.front().kind == RunEvent::Kind::refused);
  CHECK(story.events.back().kind == RunEvent::Kind::failure);
  CHECK_NE(story.end.find("train.max_bad_updates"), story.end.npos);
}

TEST_CASE("damaged events are reported, and without a beginning there is no story") {
  StoryReader reader;
  CHECK_EQ(reader.take(R"({"event":"resume","update":3})"), "expected an event with all its keys");
  CHECK_EQ(reader.take(R"({"event":"refused","update":3,"time":"t","text":"x"})"), "");
  CHECK_FALSE(reader.story().has_value());
  const std::string start =
      R"({"event":"start","update":0,"time":"t","text":"new run","parameters":7,"decided":[],"log":["a"]})";
  CHECK_EQ(reader.take(start), "");
  REQUIRE(reader.story().has_value());
  CHECK_EQ(reader.story()->state, "killed");  // or training
  for (const char* line :
       {R"({"event":"end","update":"x","time":"t","text":"x"})", R"({"event":"end","update":3})",
        R"({"event":"resume","update":3,"time":"t","text":"x","parameters":7,"decided":[1],"log":[]})",
        R"({"event":7})", "[]", ""}) {
    CAPTURE(line);
    CHECK_EQ(reader.take(line), "expected an event with all its keys");
  }
  CHECK_EQ(reader.take(R"({"event":"of a later version","update":3})"), "");
  CHECK_EQ(reader.story()->state, "killed");
  CHECK(is_event(start));
  CHECK_FALSE(is_event(R"({"update":10,"loss":1})"));
  CHECK_FALSE(is_event(R"({"update":10,"valid_loss:\"event\"":1})"));
}
