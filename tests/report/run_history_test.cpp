#include "report/run_history.h"

#include <doctest/doctest.h>

#include <cmath>
#include <regex>

#include "tests/report/synthetic_run.h"
#include "tests/support/damaged_files.h"
#include "train/checkpoint/checkpoint_folder.h"

using namespace glossa;
using glossa::testing::SyntheticRun;
using Strings = std::vector<std::string>;

TEST_CASE("the story of a run has its state, the samples of its validations, and times of updates") {
  const SyntheticRun run;
  const RunHistory history = read_history(run.path(), run.config);
  CHECK(history.problems.empty());
  CHECK(history.state == "finished");
  CHECK(history.time == "training");
  CHECK_FALSE(history.best);
  REQUIRE(history.samples.size() == 2);
  CHECK(history.samples[0].source == "a b");
  CHECK(history.samples[0].reference == "x y");
  CHECK(history.samples[0].updates == std::vector<std::int64_t>{20, 40});
  CHECK(history.samples[0].outputs == Strings{"", "x y"});
  CHECK(history.samples[1].outputs == Strings{"w w", "w"});
  CHECK(seconds_at(history.metrics, 40) == 7);
  CHECK(seconds_at(history.metrics, 25) == 4);
  CHECK(seconds_at(history.metrics, 0) == 0);
  CHECK(seconds_at(history.metrics, 99) == 7);
  CHECK(std::isnan(seconds_at({}, 5)));
}

TEST_CASE("a run of a version that wrote no times takes them from its log, or has none") {
  const SyntheticRun run;
  run.write("metrics.jsonl", std::regex_replace(run.metrics, std::regex(",\"seconds\":[0-9.]+"), ""));
  RunHistory history = read_history(run.path(), run.config);
  CHECK(history.time == "clock");
  CHECK(seconds_at(history.metrics, 40) == 40);
  CHECK(seconds_at(history.metrics, 15) == (10 + 22) / 2.0);
  std::filesystem::remove(run.path() / "train.log");
  history = read_history(run.path(), run.config);
  CHECK(history.time == "none");
  CHECK(history.state == "new");
  REQUIRE(history.problems.size() == 1);
  CHECK(history.problems[0].find("train.log") != std::string::npos);
}

TEST_CASE("a run is training while its lock is held; otherwise its log has the state") {
  const SyntheticRun run;
  const auto state = [&] { return read_history(run.path(), run.config).state; };
  {
    const RunLock lock(run.path());
    CHECK(state() == "training");
  }
  CHECK(state() == "finished");
  const std::string start =
      "[2026-02-04 00:00:00] 1 thread of 1 available, a\n[2026-02-04 00:00:00] note: resumed at "
      "update 40 (epoch 3, batch 0)\n";
  run.write("train.log", run.log + start);
  CHECK(state() == "killed");
  run.write("train.log", run.log + start + "[2026-02-04 00:00:09] error: [update 50] expected finite losses\n");
  CHECK(state() == "failed");
  run.write("train.log",
            run.log + start + "[2026-02-04 00:00:09] finished: stopped by a signal; go on with --resume\n");
  CHECK(state() == "stopped");
}

TEST_CASE("unreadable samples are reported, and those of other validations stay") {
  const SyntheticRun run;
  run.write("samples/update-00000020.txt", "source     a b\nreference  x y\n");
  const RunHistory history = read_history(run.path(), run.config);
  REQUIRE(history.problems.size() == 1);
  CHECK(history.problems[0].find("update-00000020.txt") != std::string::npos);
  CHECK(history.samples.size() == 2);
  CHECK(history.samples[0].updates == std::vector<std::int64_t>{40});
}

TEST_CASE("many validations are thinned, sentences are limited, and long texts are cut between characters") {
  const glossa::testing::TemporaryFolder folder;
  std::filesystem::create_directory(folder / "samples");
  std::set<std::int64_t> updates;
  std::string text;
  for (int s = 0; s < 30; ++s) text += fmt::format("source     s{}\nreference  r\noutput     o\n\n", s);
  for (int update = 1; update <= 100; ++update) {
    updates.insert(update);
    folder.write(fmt::format("samples/update-{:08}.txt", update), text);
  }
  std::vector<std::string> problems;
  std::vector<WatchedSentence> samples = read_samples(folder.path(), updates, 5, 10, problems);
  CHECK(problems.empty());
  REQUIRE(samples.size() == 5);
  CHECK(samples[4].source == "s4");
  CHECK(samples[0].updates.size() == 10);
  CHECK(samples[0].updates.front() == 1);
  CHECK(samples[0].updates.back() == 100);
  std::string devanagari;
  for (int i = 0; i < 2000; ++i) devanagari += "ह";
  folder.write("samples/update-00000100.txt", "source     s\nreference  r\noutput     " + devanagari + "\n\n");
  samples = read_samples(folder.path(), {100}, 5, 10, problems);
  CHECK(samples[0].outputs[0].size() < 1100);
  CHECK(samples[0].outputs[0].ends_with("ह…"));
}

TEST_CASE("runs are named by the shortest ends of their paths that distinguish them") {
  CHECK(names_of_runs(Strings{"runs/a"}) == Strings{"a"});
  CHECK(names_of_runs(Strings{"runs/a/", "b"}) == Strings{"a", "b"});
  CHECK(names_of_runs(Strings{"x/a", "y/a", "z/b"}) == Strings{"x/a", "y/a", "z/b"});
  CHECK(names_of_runs(Strings{"/a", "/x/a"}) == Strings{"/a", "x/a"});
}

TEST_CASE("damaged files of a run are read or refused by name") {
  const SyntheticRun run;
  const auto read = [&](const std::filesystem::path&) { read_history(run.path(), run.config); };
  for (const char* name : {"metrics.jsonl", "train.log", "samples/update-00000020.txt"})
    CHECK_EQ(glossa::testing::refused_mutations(run.path() / name, read), 0);
  const auto read_config = [](const std::filesystem::path& path) { load_config(path); };
  CHECK_GT(glossa::testing::refused_mutations(run.path() / "config.yaml", read_config), 0.1);
}
