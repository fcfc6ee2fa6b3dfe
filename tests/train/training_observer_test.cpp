#include "train/training_observer.h"

#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <map>
#include <random>

#include "base/check.h"
#include "tests/train/trainer_fixture.h"

using namespace glossa;
using namespace glossa::testing;

namespace {

/// Counts the calls, and asks to stop in one of them.
class Counter : public TrainingObserver {
 public:
  explicit Counter(Requests& requests, int stop_at = 0) : requests_(requests), stop_at_(stop_at) {}

  void log(const LogLine& line) override {
    count("log");
    CHECK_EQ(line.time.size(), std::string("2026-01-31 23:59:59").size());
  }
  void event(const TrainingEvent& event) override { count(name(event.kind)); }
  void update(const UpdateReport& report) override {
    count("update");
    last = report.training.update;
    CHECK_GT(report.part, 0);
    CHECK_LE(report.part, 1);
  }
  void training(const TrainingReport&) override { count("training"); }
  void validating(std::int64_t done, std::int64_t all) override {
    count("validating");
    CHECK_LE(done, all);
  }
  void validation(const ValidationReport&) override { count("validation"); }
  void checkpoint(const CheckpointReport& report) override {
    count("checkpoint");
    CHECK(std::filesystem::exists(report.file));
  }

  std::map<std::string, int> calls;
  int all = 0;
  std::int64_t last = 0;
  std::int64_t stopped_after = -1;  // updates

 private:
  void count(const char* member) {
    ++calls[member];
    if (++all != stop_at_) return;
    stopped_after = last;
    requests_.stop();
  }

  Requests& requests_;
  int stop_at_;
};

struct SmallRun : TrainerFixture {
  SmallRun() {
    config.train.max_updates = updates(12);
    config.train.validate_every = updates(5);
    config.train.save_every = updates(4);
    config.train.log_every = updates(3);
  }
};

std::string state_of(const TrainerFixture& fixture, const std::string& run) {
  return state_sha256(CheckpointReader(fixture.last(run)));
}

}  // namespace

TEST_CASE("an observer is called for every update, log line, validation, checkpoint and event") {
  const SmallRun fixture;
  Trainer trainer(fixture.prepared(fixture.config, "run"));
  Counter counter(trainer.requests());
  trainer.add(counter);
  CHECK(trainer.train() == TrainingEnd::max_updates);
  CHECK_EQ(counter.calls["update"], 12);
  CHECK_EQ(counter.calls["training"], 4);
  CHECK_EQ(counter.calls["validation"], 3);  // after 5, 10 and 12
  CHECK_GE(counter.calls["validating"], 3);
  CHECK_GE(counter.calls["checkpoint"], 3);  // after 4, 8 and 12, and each best
  CHECK_EQ(counter.calls["start"], 1);
  CHECK_EQ(counter.calls["end"], 1);
  std::istringstream log(read_bytes(fixture / "run/train.log"));
  int lines = 0;
  for (std::string line; std::getline(log, line);) lines += line.starts_with("[20") ? 1 : 0;
  CHECK_EQ(counter.calls["log"], lines + 1);  // and the configuration, a detail
}

TEST_CASE("an observer stops training at the next update boundary from any call; resumed, nothing was lost") {
  const SmallRun fixture;
  fixture.train(fixture.config, "whole");
  const std::string whole = state_of(fixture, "whole");
  std::mt19937 random(1);
  for (int trial = 0; trial < 8; ++trial) {
    const std::string run = fmt::format("stopped-{}", trial);
    {
      Trainer trainer(fixture.prepared(fixture.config, run));
      Counter counter(trainer.requests(), std::uniform_int_distribution(1, 70)(random));
      trainer.add(counter);
      const TrainingEnd end = trainer.train();
      if (counter.stopped_after < 0) continue;  // fewer calls
      CAPTURE(counter.stopped_after);
      CHECK_LE(counter.last, counter.stopped_after + 1);
      const auto last = metrics(fixture / run, true).back();
      CHECK_EQ(last["event"], end == TrainingEnd::stopped ? "stop" : "end");
      CHECK_EQ(last["reason"], end == TrainingEnd::stopped ? "request" : "max_updates");
    }
    fixture.train(fixture.config, run, true);
    CHECK_EQ(state_of(fixture, run), whole);
  }
}

TEST_CASE("an observer's exception ends training, is recorded, and leaves a run that resumes") {
  class Thrower : public TrainingObserver {
    void update(const UpdateReport& report) override {
      if (report.training.update == 7) fail("observer", "cannot go on: no reason");
    }
    void log(const LogLine& line) override {
      if (line.kind == LogLine::Kind::error) fail("observer", "cannot do anything else: no reason");
    }
  } thrower;
  const SmallRun fixture;
  fixture.train(fixture.config, "whole");
  {
    Trainer trainer(fixture.prepared(fixture.config, "run"));
    trainer.add(thrower);
    CHECK_EQ(error_of<Error>([&] { trainer.train(); }), "[observer] cannot go on: no reason");
  }
  const auto last = metrics(fixture / "run", true).back();
  CHECK_EQ(last["event"], "failure");
  CHECK_EQ(last["update"], 7);
  CHECK_EQ(last["text"], "[observer] cannot go on: no reason");
  fixture.train(fixture.config, "run", true);
  CHECK_EQ(state_of(fixture, "run"), state_of(fixture, "whole"));
}

TEST_CASE("a process that an observer forks does not train on, and does not wait for the parent's threads") {
  class Forker : public TrainingObserver {
   public:
    void update(const UpdateReport& report) override {
      if (report.training.update != 7) return;
      child = fork();
      if (child == 0) alarm(30);  // ends a process that hangs
    }
    pid_t child = -1;
  } forker;
  SmallRun fixture;
  fixture.train(fixture.config, "whole");
  fixture.config.data.prepare_above = 0;  // a thread reads the pairs
  fixture.config.data.cache = fixture / "cache";
  {
    std::string error;
    {
      const Quiet quiet;
      Trainer trainer(fixture.prepared(fixture.config, "run"));
      trainer.add(forker);
      error = error_of<Error>([&] { trainer.train(); });
    }
    if (forker.child == 0) _exit(error.starts_with("[train] expected the process that began to train; got") ? 3 : 4);
    CHECK_EQ(error, "");
  }
  int status = -1;
  REQUIRE_EQ(waitpid(forker.child, &status, 0), forker.child);
  CHECK(WIFEXITED(status));
  CHECK_EQ(WEXITSTATUS(status), 3);
  CHECK_EQ(state_of(fixture, "run"), state_of(fixture, "whole"));
  int ends = 0;
  for (const auto& event : metrics(fixture / "run", true))
    ends += event["event"] == "end" || event["event"] == "failure";
  CHECK_EQ(ends, 1);
}
