// `glossa prepare` and training on a prepared corpus, from a user's view.
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <string>

#include "tests/integration/tiny_run.h"
#include "tests/support/small_disk.h"

using namespace glossa::testing;
namespace fs = std::filesystem;

namespace {

struct Prepared : TinyRun {
  Strings sets(const Strings& more = {}) const {
    Strings all{"data.prepare_above=0", "data.cache=" + cache().string()};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
  fs::path cache() const { return *this / "cache"; }

  /// Runs `glossa prepare` with the tiny configuration.
  Outcome prepare(const Strings& more = {}) const {
    Strings arguments = train_arguments("unused", sets());
    arguments.front() = "prepare";
    std::erase(arguments, "--run");
    std::erase(arguments, (*this / "unused").string());
    arguments.insert(arguments.end(), more.begin(), more.end());
    return glossa_program(arguments);
  }
  Outcome manage(const std::string& flag) const {
    return glossa_program({"prepare", flag, "--set", "data.cache=" + cache().string()});
  }
  fs::path prepared() const {
    for (const fs::directory_entry& entry : fs::directory_iterator(cache() / "corpora"))
      if (entry.is_directory() && !entry.is_symlink()) return entry;
    return {};
  }
};

}  // namespace

TEST_CASE("prepare makes a corpus once, and list, verify and clear manage it") {
  const Prepared tiny;
  const Outcome first = succeeded(tiny.prepare());
  CHECK_NE(first.err.find("preparing "), std::string::npos);
  const Outcome small = succeeded(tiny.prepare({"--set", "data.prepare_above=1"}));
  CHECK_NE(small.err.find("training keeps this text in memory"), std::string::npos);
  CHECK_NE(first.out.find(" pairs, "), std::string::npos);
  const Outcome again = succeeded(tiny.prepare({"--verify"}));
  CHECK_EQ(again.err.find("preparing "), std::string::npos);
  CHECK_EQ(again.out, first.out);
  const Strings listed = lines_of(succeeded(tiny.manage("--list")).out);
  REQUIRE_EQ(listed.size(), 1);
  CHECK_NE(listed[0].find(" pairs of "), std::string::npos);
  CHECK_NE(succeeded(tiny.manage("--clear")).out.find("freed "), std::string::npos);
  CHECK_EQ(succeeded(tiny.manage("--list")).out, "");
  check_refused(glossa_program({"prepare"}), 2, {"expected CONFIG, --list or --clear"});
  check_refused(glossa_program({"prepare", "--list", "--clear"}), 2, {"--clear"});
}

TEST_CASE("a full disk and a folder that cannot be written are errors, and leave nothing") {
  const Prepared tiny;
  {
    const SmallDisk disk(tiny.cache(), "64k");
    if (disk.mounted()) {
      check_error(tiny.train("run", tiny.sets()), 1, {"of disk space to prepare data.train", "data.cache"});
      CHECK(tiny.prepared().empty());
      CHECK_FALSE(fs::exists(tiny / "run"));
    }
  }
  fs::remove_all(tiny.cache());
  std::ofstream(tiny.cache()) << "a file";
  check_error(tiny.train("run", tiny.sets()), 1, {tiny.cache().string()});
  CHECK_FALSE(fs::exists(tiny / "run"));
}

TEST_CASE("damaged numbers end a run with an error that names the file and the remedy") {
  const Prepared tiny;
  succeeded(tiny.prepare());
  std::fstream ids(tiny.prepared() / "ids", std::ios::in | std::ios::out | std::ios::binary);
  for (int at = 0; at < 40'000; at += 400) ids.seekp(at).put('\x7f');
  ids.close();
  check_error(tiny.train("run", tiny.sets()), 1, {(tiny.prepared() / "ids").string(), "glossa prepare --clear"});
  succeeded(tiny.manage("--clear"));
  succeeded(tiny.train("run", tiny.sets()));
}

TEST_CASE("text that is replaced, and a cache that is cleared, do not change a run that trains") {
  const Prepared tiny;
  const Strings lasting{
      "train.max_updates=1000", "train.log_every=1u", "train.validate_every=0", "train.save_every=0",
      "data.train=" + tiny.write_corpus(read_bytes(tiny / "toy/train.en"), read_bytes(tiny / "toy/train.hi"))};
  succeeded(tiny.train("undisturbed", lasting));
  Strings arguments{tested_program()};
  for (const std::string& argument : tiny.train_arguments("run", tiny.sets(lasting))) arguments.push_back(argument);
  Program program({.arguments = arguments, .input = {}, .folder = {}});
  REQUIRE(wait_for_metrics(program, tiny / "run", 5));
  succeeded(tiny.manage("--clear"));
  tiny.write_corpus("other\n", "text\n");
  CHECK(program.running());
  succeeded(program.wait());
  CHECK_EQ(tiny.hashes("run"), tiny.hashes("undisturbed"));
  Strings longer = tiny.sets(lasting);
  longer.push_back("train.max_updates=1010");
  check_error(tiny.resume("run", longer), 1, {"[data.train] expected the training and validation data"});
}

TEST_CASE("evaluate scores the pairs that were held out of a prepared corpus") {
  const Prepared tiny;
  const Strings held_out{"data.valid=", "data.split=30/20"};
  succeeded(tiny.train("plain", held_out));
  succeeded(tiny.train("run", tiny.sets(held_out)));
  REQUIRE_EQ(tiny.hashes("run"), tiny.hashes("plain"));
  const auto evaluate = [&](const std::string& run) {
    return succeeded(glossa_program({"evaluate", (tiny / run).string(), "--json"}));
  };
  const auto scores = [](const Outcome& outcome) {
    std::map<std::string, std::string> all = json_object(outcome.out);
    all.erase("checkpoints");
    all.erase("seconds");
    return all;
  };
  const auto expected = scores(evaluate("plain"));
  CHECK_EQ(expected.at("sentences"), "20");
  const Outcome mapped = evaluate("run");
  CHECK(scores(mapped) == expected);
  CHECK_EQ(mapped.err.find("preparing "), std::string::npos);
  succeeded(tiny.manage("--clear"));
  const Outcome again = evaluate("run");
  CHECK(scores(again) == expected);
  CHECK_NE(again.err.find("preparing "), std::string::npos);
}

TEST_CASE("a comparison with a run that has capital letters reads a large text again, but does not prepare it") {
  const Prepared tiny;
  const Strings held_out{"data.valid=", "data.split=30/20", "train.max_updates=5"};
  Strings lower = held_out;
  lower.push_back("data.lowercase=true");
  succeeded(tiny.train("plain", lower));
  succeeded(tiny.train("lower", tiny.sets(lower)));
  succeeded(tiny.train("other", tiny.sets(held_out)));
  const std::string listed = succeeded(tiny.manage("--list")).out;
  const auto compare = [&](const std::string& run) {
    return succeeded(glossa_program({"evaluate", tiny / run, "--compare", tiny / "other", "--json"}));
  };
  const Outcome plain = compare("plain"), mapped = compare("lower");
  CHECK_EQ(json_object(mapped.out).at("compare"), json_object(plain.out).at("compare"));
  CHECK_EQ(mapped.err.find("preparing "), std::string::npos);
  CHECK_EQ(succeeded(tiny.manage("--list")).out, listed);
}
