// Equal bits for any number of threads and any number of stops.
#include <doctest/doctest.h>

#include <chrono>
#include <csignal>
#include <thread>

#include "tests/integration/tiny_run.h"

using namespace glossa::testing;

namespace {

/// Trains without a stop, and again stopped after `updates` and resumed; both must agree in everything but time.
/// Returns the last update.
long check_interrupted(const Strings& sets, int updates) {
  const TinyRun tiny;
  Strings first = sets, rest = sets;
  first.push_back("train.max_updates=" + std::to_string(updates));
  REQUIRE_EQ(tiny.train("whole", sets).status, 0);
  REQUIRE_EQ(tiny.train("parts", first).status, 0);
  CHECK_EQ(tiny.last_update("parts"), updates);
  const Outcome resumed = tiny.resume("parts", rest);
  REQUIRE_MESSAGE(resumed.status == 0, resumed.err);
  CHECK_NE(resumed.err.find("resumed at update " + std::to_string(updates)), std::string::npos);
  CHECK_EQ(tiny.hashes("parts"), tiny.hashes("whole"));
  CHECK_EQ(tiny.metrics("parts"), tiny.metrics("whole"));
  CHECK_FALSE(tiny.metrics("whole").empty());
  return tiny.last_update("whole");
}

Strings up_to(long updates, Strings sets) {
  sets.push_back("train.max_updates=" + std::to_string(updates));
  return sets;
}

/// A run that ends only by a signal.
Launch endless(const TinyRun& tiny, const std::string& run, const Strings& sets) {
  Strings arguments = tiny.train_arguments(run, up_to(1'000'000, sets));
  arguments.insert(arguments.begin(), tested_program());
  return {.arguments = arguments, .input = {}, .folder = {}};
}

}  // namespace

TEST_CASE("100 updates with dropout have the same hashes at 1, 2, 4 and 8 threads") {
  const TinyRun tiny;
  std::vector<std::string> hashes;
  for (const char* threads : {"1", "2", "4", "8"}) {
    REQUIRE_EQ(tiny.train(threads, {"train.max_updates=100", "runtime.threads=" + std::string(threads)}).status, 0);
    hashes.push_back(tiny.hashes(threads));
    CHECK_EQ(hashes.back(), hashes.front());
    CHECK_EQ(tiny.metrics(threads), tiny.metrics("1"));
  }
  REQUIRE_EQ(tiny.train("other", {"train.max_updates=100", "train.seed=2"}).status, 0);
  CHECK_NE(tiny.hashes("other"), hashes.front());
}

TEST_CASE("37 updates, resumed to 100, equal 100 uninterrupted updates") {
  CHECK_EQ(check_interrupted({"train.max_updates=100"}, 37), 100);
}

TEST_CASE("a run may resume with another number of threads") {
  const TinyRun tiny;
  REQUIRE_EQ(tiny.train("whole", {"train.max_updates=60"}).status, 0);
  REQUIRE_EQ(tiny.train("parts", {"train.max_updates=21", "runtime.threads=4"}).status, 0);
  REQUIRE_EQ(tiny.resume("parts", {"train.max_updates=60", "runtime.threads=2"}).status, 0);
  CHECK_EQ(tiny.hashes("parts"), tiny.hashes("whole"));
}

TEST_CASE("validation, accumulation and the plateau schedule resume where they stopped") {
  // No sentence is translated exactly this early, so that the schedule counts and cuts from the second validation on.
  CHECK_EQ(check_interrupted({"train.max_updates=100", "train.validate_every=5u", "train.metric=exact_match",
                              "train.accumulate=3", "optim.schedule=plateau", "optim.plateau_patience=2"},
                             37),
           100);
}

TEST_CASE("the moving average resumes where it stopped") {
  CHECK_EQ(check_interrupted({"train.max_updates=100", "train.validate_every=10u", "train.decode_validation=false",
                              "train.ema=0.8", "optim.schedule=plateau"},
                             37),
           100);
}

TEST_CASE("validation, saving and limits in epochs resume where they stopped") {
  CHECK_GT(check_interrupted(
               {"train.max_epochs=3", "train.max_updates=1000", "train.validate_every=1e", "train.save_every=0.5e",
                "train.decode_validation=false", "optim.schedule=cosine", "optim.total_updates=90"},
               40),
           80);
}

TEST_CASE("early stopping keeps its count: the resumed run stops at the same validation") {
  const long end = check_interrupted(
      {"train.max_updates=100", "train.validate_every=5u", "train.metric=exact_match", "train.patience=3"}, 12);
  CHECK_EQ(end, 20);  // the first is best, three more are not
}

TEST_CASE("SIGTERM and SIGINT save and exit with 0, and the resumed run equals the undisturbed one") {
  const TinyRun tiny;
  const Strings sets{"train.log_every=1u", "train.save_every=0"};
  for (const int number : {SIGTERM, SIGINT}) {
    const std::string run = "stopped-" + std::to_string(number), whole = "whole-" + std::to_string(number);
    Program program(endless(tiny, run, sets));
    REQUIRE(wait_for_metrics(program, tiny / run, 20));
    for (const int one_stop : {number, SIGHUP, number}) program.signal(one_stop);  // as timeout(1) and shells send them
    const Outcome stopped = program.wait();
    CHECK_EQ(stopped.status, 0);
    CHECK_NE(stopped.err.find("stopped by a signal"), std::string::npos);
    const long update = tiny.last_update(run);
    CHECK_GE(update, 20);
    const Strings longer = up_to(update + 20, sets);
    REQUIRE_EQ(tiny.resume(run, longer).status, 0);
    REQUIRE_EQ(tiny.train(whole, longer).status, 0);
    CHECK_EQ(tiny.hashes(run), tiny.hashes(whole));
    CHECK_EQ(tiny.metrics(run), tiny.metrics(whole));
  }
}

TEST_CASE("a run that a signal stops after its last validation notes it once, at the end") {
  const TinyRun tiny;
  const Strings sets{"train.log_every=1u", "train.validate_every=9u", "train.decode_validation=false"};
  Program program(endless(tiny, "run", sets));
  REQUIRE(wait_for_metrics(program, tiny / "run", 20));
  program.signal(SIGTERM);
  const Outcome stopped = program.wait();
  const long update = tiny.last_update("run");
  const std::string note = "; update " + std::to_string(update) + " is newer than the last validation; ";
  CHECK_EQ(stopped.err.find(note) != std::string::npos, update % 9 != 0);
  CHECK_EQ(stopped.err.find(note), stopped.err.rfind(note));
  CHECK_EQ(succeeded(glossa_program({"translate", tiny / "run"}, "")).err, "");
}

TEST_CASE("SIGUSR1 saves and changes nothing else") {
  const TinyRun tiny;
  const Strings sets{"train.log_every=1u", "train.save_every=0"};
  Program program(endless(tiny, "asked", sets));
  REQUIRE(wait_for_metrics(program, tiny / "asked", 10));
  program.signal(SIGUSR1);
  while (program.running() && !std::filesystem::exists(tiny / "asked/checkpoints/last"))
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  const long saved = tiny.last_update("asked");
  REQUIRE(wait_for_metrics(program, tiny / "asked", static_cast<std::size_t>(saved) + 2));  // it continues
  program.signal(SIGTERM);
  CHECK_EQ(program.wait().status, 0);
  REQUIRE_EQ(tiny.train("whole", up_to(tiny.last_update("asked"), sets)).status, 0);
  CHECK_EQ(tiny.hashes("asked"), tiny.hashes("whole"));
  CHECK_EQ(names_in(tiny / "whole/checkpoints").size(), 2);  // the end's and the link
  CHECK_EQ(names_in(tiny / "asked/checkpoints").size(), 3);
}

TEST_CASE("nothing to do: resuming a finished run changes nothing and says so") {
  const TinyRun tiny;
  REQUIRE_EQ(tiny.train("run").status, 0);
  const std::string before = tiny.hashes("run");
  const Outcome again = tiny.resume("run");
  CHECK_EQ(again.status, 0);
  CHECK_NE(again.err.find("nothing to do"), std::string::npos);
  CHECK_EQ(tiny.hashes("run"), before);
}
