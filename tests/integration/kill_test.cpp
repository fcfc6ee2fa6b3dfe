// Runs after SIGKILL, with damaged checkpoints, and with two trainers in one folder.
#include <doctest/doctest.h>

#include <csignal>
#include <thread>

#include "tests/integration/tiny_run.h"

using namespace glossa::testing;
namespace fs = std::filesystem;

namespace {

/// Cuts a file to half its length.
void truncate(const fs::path& path) { fs::resize_file(path, fs::file_size(path) / 2); }

/// Every file of a folder with its bytes.
std::map<std::string, std::string> contents(const fs::path& folder) {
  std::map<std::string, std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.is_regular_file()) files[entry.path()] = read_bytes(entry.path());
  return files;
}

}  // namespace

TEST_CASE("SIGKILL at random moments leaves valid checkpoints, and resuming gives the hashes of the undisturbed run") {
  const Outcome killed = run_program(
      {.arguments = {"/bin/bash", GLOSSA_SOURCE_DIR "/tests/integration/kill_resume.sh", tested_program(), "8", "3"},
       .input = {},
       .folder = {}});
  CAPTURE(killed.err);
  CHECK_EQ(killed.status, 0);
  CHECK(killed.out.starts_with("8 kills, "));
}

TEST_CASE("--resume without a run is refused; --resume=auto starts it, and says so, or resumes it") {
  const TinyRun tiny;
  REQUIRE_EQ(tiny.train("fresh").status, 0);
  fs::create_directory(tiny / "empty");
  fs::create_directories(tiny / "begun/checkpoints");
  for (const char* run : {"none", "empty", "begun"})
    check_refused(tiny.resume(run), 2, {std::string(run) + "] expected a run to resume; not found", "--resume=auto"});
  CHECK_FALSE(fs::exists(tiny / "none"));
  const std::string fresh = tiny / "fresh";
  check_refused(tiny.resume("fersh"), 2, {"expected a run to resume; not found. Hint: did you mean " + fresh});
  check_refused(glossa_program({"inspect", tiny / "fersh"}), 1, {"not found. Hint: did you mean " + fresh + "?"});
  check_refused(
      glossa_program({"train", fresh}), 2,
      {"[" + fresh + "] expected a YAML file as CONFIG; got a folder", "glossa train --resume " + fresh + " resumes"});
  check_refused(glossa_program({"train", "a.yaml", "--resume=" + fresh}), 2,
                {"Hint: glossa train --resume " + fresh + " resumes a run"});
  check_refused(glossa_program({"train", "--resume", fresh, "--run", tiny / "empty"}), 2, {"[--run]", "Hint: omit"});
  for (const char* resume : {"--resume", "--resume=auto"})
    check_refused(glossa_program({"train", resume, tiny / "empty"}), 2, {"empty] expected a run to resume"});
  check_refused(glossa_program({"train", "--resume", "--run", tiny / "empty"}), 2, {"empty] expected a run to resume"});
  for (const Strings& arguments : {Strings{"train"}, {"train", "--run", tiny / "none"}, {"train", "--resume"}})
    check_refused(glossa_program(arguments), 2, {"[command line] CONFIG is required"});
  check_refused(tiny.train("none", {}, {"--resume=maybe"}), 2, {"--resume=maybe"});

  Strings arguments = tiny.train_arguments("run", {}, {"--resume=auto"});
  const Outcome begun = succeeded(glossa_program(arguments));
  CHECK_NE(begun.err.find("starting afresh"), std::string::npos);
  CHECK_EQ(tiny.hashes("run"), tiny.hashes("fresh"));
  const Outcome resumed =
      succeeded(glossa_program({"train", "--resume", tiny / "run", "--set", "train.max_updates=25"}));
  CHECK_NE(resumed.err.find("resumed at update 20"), std::string::npos);
  CHECK_NE(resumed.err.find("note: train.max_updates is now 25u; it was 20u"), std::string::npos);
  const Outcome from_config = succeeded(glossa_program(arguments));
  CHECK_NE(from_config.err.find("note: train.max_updates is now 20u; it was 25u"), std::string::npos);
  succeeded(glossa_program({"train", "--resume", "--run", tiny / "run", "--set", "train.max_updates=26"}));

  // A run that was killed before its first checkpoint. The option does not take the next word as its value.
  fs::create_directory(tiny / "killed");
  fs::copy_file(tiny / "fresh/config.yaml", tiny / "killed/config.yaml");
  const Outcome again = succeeded(glossa_program({"train", "--run", tiny / "killed", "--resume", tiny / "tiny.yaml"}));
  CHECK_NE(again.err.find("starting afresh"), std::string::npos);
  CHECK_EQ(tiny.hashes("killed"), tiny.hashes("fresh"));
}

TEST_CASE("if the newest checkpoint is damaged, the one before it is used and the log says why") {
  const TinyRun tiny;
  REQUIRE_EQ(tiny.train("run").status, 0);
  const std::string hashes = tiny.hashes("run");
  truncate(tiny / "run/checkpoints/update-00000020.ckpt");
  const Outcome resumed = tiny.resume("run");
  CHECK_EQ(resumed.status, 0);
  CHECK_NE(resumed.err.find("checkpoint skipped: [" + (tiny / "run/checkpoints/update-00000020.ckpt").string()),
           std::string::npos);
  CHECK_NE(resumed.err.find("resumed at update 15"), std::string::npos);
  CHECK_EQ(tiny.hashes("run"), hashes);
}

TEST_CASE("--resume without a valid checkpoint fails instead of starting afresh, and changes nothing") {
  const TinyRun tiny;
  REQUIRE_EQ(tiny.train("run").status, 0);
  for (const char* update : {"10", "15", "20"})
    truncate(tiny.path() / "run/checkpoints" / ("update-000000" + std::string(update) + ".ckpt"));
  const auto before = contents(tiny / "run");
  check_refused(tiny.resume("run"), 1,
                {"run/checkpoints] cannot read any of the 3 checkpoints: update-00000020.ckpt (expected "});
  auto after = contents(tiny / "run");
  after[tiny / "run/.lock"] = before.at(tiny / "run/.lock");  // names the last trainer
  CHECK(after == before);
}

TEST_CASE("a kill between a checkpoint and its links: --resume updates the links") {
  const TinyRun tiny;
  REQUIRE_EQ(tiny.train("run", {"train.validate_every=10u", "train.decode_validation=false"}).status, 0);
  const fs::path folder = tiny / "run/checkpoints";
  REQUIRE_EQ(fs::read_symlink(folder / "best"), "update-00000020.ckpt");  // this early, each validation is the best
  for (const char* link : {"last", "best"}) {
    fs::remove(folder / link);
    fs::create_symlink("update-00000010.ckpt", folder / link);
  }
  REQUIRE_EQ(tiny.resume("run", {"train.validate_every=10u", "train.decode_validation=false"}).status, 0);
  for (const char* link : {"last", "best"}) CHECK_EQ(fs::read_symlink(folder / link), "update-00000020.ckpt");
}

TEST_CASE("a new run does not overwrite an old one") {
  const TinyRun tiny;
  REQUIRE_EQ(tiny.train("run").status, 0);
  const std::string hashes = tiny.hashes("run");
  check_refused(tiny.train("run"), 2, {"[" + (tiny / "run").string() + "]", "--resume"});
  CHECK_EQ(tiny.hashes("run"), hashes);
}

TEST_CASE("a second trainer is refused, the first continues") {
  const TinyRun tiny;
  const Strings sets{"train.max_updates=1000000"};
  Strings arguments = tiny.train_arguments("run", sets);
  arguments.insert(arguments.begin(), tested_program());
  Program first({.arguments = arguments, .input = {}, .folder = {}});
  while (first.running() && !fs::exists(tiny / "run/checkpoints/last"))
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  const std::string holder = "process " + std::to_string(first.pid());
  check_refused(tiny.resume("run", sets), 1, {"run/.lock]", holder});
  check_refused(tiny.train("run", sets), 1, {"run/.lock]", holder});
  CHECK(first.running());
  first.signal(SIGTERM);
  CHECK_EQ(first.wait().status, 0);
  CHECK_EQ(tiny.resume("run", {"train.max_updates=1"}).status, 0);  // the lock is free again
}

TEST_CASE("a run whose folder is renamed or replaced while it trains ends with an error, and writes nothing there") {
  for (const bool replaces : {false, true}) {
    CAPTURE(replaces);
    const TinyRun tiny;
    Strings arguments =
        tiny.train_arguments("run", {"train.max_updates=1000000", "train.save_every=0", "train.validate_every=0"});
    arguments.insert(arguments.begin(), tested_program());
    Program trainer({.arguments = arguments, .input = {}, .folder = {}});
    const fs::path log = tiny / "run/train.log";
    while (trainer.running() && !(fs::exists(log) && read_bytes(log).find("] Ep. ") != std::string::npos))
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    fs::rename(tiny / "run", tiny / "old");
    if (replaces) fs::create_directory(tiny / "run");
    trainer.signal(SIGTERM);
    check_error(trainer.wait(), 1, {"/run] expected the folder that training began in; got "});
    CHECK_NE(read_bytes(tiny / "old/train.log").find("error: ["), std::string::npos);
    CHECK_EQ(fs::exists(tiny / "run"), replaces);
    if (replaces) CHECK(fs::is_empty(tiny / "run"));
  }
}
