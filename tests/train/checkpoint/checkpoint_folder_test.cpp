#include "train/checkpoint/checkpoint_folder.h"

#include <doctest/doctest.h>
#include <fmt/core.h>
#include <unistd.h>

#include "base/check.h"
#include "tests/support/temporary_folder.h"

using namespace glossa;
using namespace glossa::testing;
namespace fs = std::filesystem;

using Strings = std::vector<std::string>;

namespace {

const std::string some_weights = "some weights";

CheckpointWriter some_writer() {
  CheckpointWriter writer;
  writer.add("weights", EntryKind::buffer, Dtype::u8, {some_weights.size()}, std::as_bytes(std::span(some_weights)));
  return writer;
}

void damage(const fs::path& path) {
  std::string bytes = read_bytes(path);
  bytes[bytes.size() / 2] ^= 1;
  write_bytes(path, bytes);
}

}  // namespace

TEST_CASE("a new run has no checkpoint; a saved one is found through names and links") {
  const TemporaryFolder base;
  CheckpointFolder folder(base / "run", 2);
  CHECK_FALSE(folder.newest_valid().has_value());
  CHECK_THROWS_AS(chosen_checkpoints(base / "run"), Error);

  const auto path = folder.save(37, some_writer(), false);
  CHECK(path == base / "run" / "checkpoints" / "update-00000037.ckpt");
  CHECK(chosen_checkpoints(base / "run").front().filename() == "last");
  folder.save(38, some_writer(), true);
  folder.save(123456789, some_writer(), false);
  CHECK(fs::read_symlink(chosen_checkpoints(base / "run").front()) == "update-00000038.ckpt");
  CHECK(CheckpointReader(chosen_checkpoints(base / "run").front()).entries().size() == 1);

  const auto found = folder.newest_valid();
  REQUIRE(found.has_value());
  CHECK(found->update == 123456789);
  CHECK(found->refused.empty());
}

TEST_CASE("a checkpoint of a run is chosen by link, by update, or as one of the newest") {
  const TemporaryFolder base;
  CheckpointFolder folder(base / "run", 5);
  for (const std::uint64_t update : {10, 20, 30}) folder.save(update, some_writer(), update == 20);
  const auto names = [&](const std::string& choice) {
    Strings names;
    for (const fs::path& path : chosen_checkpoints(base / "run", choice))
      names.push_back(fs::canonical(path).filename().string());
    return names;
  };
  CHECK(names("") == Strings{"update-00000020.ckpt"});
  CHECK(names("best") == Strings{"update-00000020.ckpt"});
  CHECK(names("last") == Strings{"update-00000030.ckpt"});
  CHECK(names("10") == Strings{"update-00000010.ckpt"});
  CHECK(names("average:1") == Strings{"update-00000030.ckpt"});
  CHECK(names("average:2") == Strings{"update-00000030.ckpt", "update-00000020.ckpt"});
  CHECK_THROWS_WITH_AS(chosen_checkpoints(base / "run", "average:4"),
                       doctest::Contains("expected 4 checkpoints to average; got 3. Hint: "), Error);
  CHECK_THROWS_WITH_AS(chosen_checkpoints(base / "run", "15"),
                       doctest::Contains("expected a checkpoint of update 15; got those of 30, 20, 10. Hint: "), Error);
  for (const char* wrong : {"average:0", "average:", "average:two", "-1", "newest", "10 "}) try {
      chosen_checkpoints(base / "run", wrong);
      FAIL_CHECK(std::string(wrong));
    } catch (const Error& error) {
      CHECK(error.exit_status() == 2);
      CHECK(std::string(error.what()).find(fmt::format("got '{}'", wrong)) != std::string::npos);
    }
  CHECK(linked_update(base / "run", "best") == 20);
  CHECK(linked_update(base / "run", "last") == 30);
  CHECK_FALSE(linked_update(base / "none", "last").has_value());
}

TEST_CASE("pruning keeps the newest and the best, and does not touch other files") {
  const TemporaryFolder base;
  const auto checkpoints = base / "run" / "checkpoints";
  CheckpointFolder folder(base / "run", 3);
  write_bytes(checkpoints / "notes.txt", "mine");
  for (const char* name : {"update-1.ckpt", "update-99.ckpt"}) write_bytes(checkpoints / name, "not a name of ours");
  for (std::uint64_t update = 1; update <= 9; ++update) folder.save(update, some_writer(), update == 2);
  CHECK(names_in(checkpoints) == Strings{"best", "last", "notes.txt", "update-00000002.ckpt", "update-00000007.ckpt",
                                         "update-00000008.ckpt", "update-00000009.ckpt", "update-1.ckpt",
                                         "update-99.ckpt"});
  CHECK(folder.newest_valid()->refused.empty());
  CHECK(fs::read_symlink(checkpoints / "last") == "update-00000009.ckpt");
  CHECK_THROWS_AS(CheckpointFolder(base / "other", 1), Error);
}

TEST_CASE("the newest valid file is taken, each refused one is reported, and the next saves keep the valid one") {
  const TemporaryFolder base;
  const auto checkpoints = base / "run" / "checkpoints";
  {
    CheckpointFolder folder(base / "run", 4);
    for (std::uint64_t update = 10; update <= 40; update += 10) folder.save(update, some_writer(), false);
  }
  damage(checkpoints / "update-00000040.ckpt");
  write_bytes(checkpoints / "update-00000030.ckpt", "");

  CheckpointFolder folder(base / "run", 2);
  const auto found = folder.newest_valid();
  REQUIRE(found.has_value());
  CHECK(found->update == 20);
  REQUIRE(found->refused.size() == 2);
  CHECK(found->refused[0].parts().where.ends_with("update-00000040.ckpt"));
  CHECK(found->refused[1].parts().where.ends_with("update-00000030.ckpt"));

  folder.save(21, some_writer(), false);
  CHECK(names_in(checkpoints) == Strings{"last", "update-00000020.ckpt", "update-00000021.ckpt", "update-00000030.ckpt",
                                         "update-00000040.ckpt"});
  folder.save(30, some_writer(), false);  // the run passes here again: the damaged file is replaced
  folder.save(31, some_writer(), false);
  CHECK(names_in(checkpoints) ==
        Strings{"last", "update-00000030.ckpt", "update-00000031.ckpt", "update-00000040.ckpt"});
  CHECK(folder.newest_valid()->update == 31);
  folder.save(41, some_writer(), false);  // beyond a damaged file: it stays, and is not one of the two that are kept
  CHECK(names_in(checkpoints) ==
        Strings{"last", "update-00000031.ckpt", "update-00000040.ckpt", "update-00000041.ckpt"});
}

TEST_CASE("a saved checkpoint stays, even if there are newer files") {
  const TemporaryFolder base;
  CheckpointFolder folder(base / "run", 2);
  for (const std::uint64_t update : {10, 20, 30, 5}) folder.save(update, some_writer(), false);
  CHECK(names_in(base / "run/checkpoints") ==
        Strings{"last", "update-00000005.ckpt", "update-00000020.ckpt", "update-00000030.ckpt"});
}

TEST_CASE("if no file is valid, one message has each reason and a single hint") {
  const TemporaryFolder base;
  CheckpointFolder folder(base / "run", 2);
  const auto reason = [](const fs::path& file) {
    const std::string text = error_of<Error>([&] { CheckpointReader reader(file); });
    const std::size_t begin = text.find("] ") + 2, end = text.find(". Hint: ");
    REQUIRE(end != text.npos);
    return fmt::format("{} ({})", file.filename().string(), text.substr(begin, end - begin));
  };
  const fs::path first = folder.save(1, some_writer(), false);
  damage(first);
  const std::string where = fmt::format("[{}] ", (base / "run/checkpoints").string());
  CHECK_EQ(error_of<Error>([&] { folder.newest_valid(); }),
           fmt::format("{}cannot read the only checkpoint, {}. Hint: restore the file from a copy, or move it away to "
                       "start afresh",
                       where, reason(first)));
  const fs::path second = folder.save(2, some_writer(), false);
  damage(second);
  CHECK_EQ(error_of<Error>([&] { folder.newest_valid(); }),
           fmt::format("{}cannot read any of the 2 checkpoints: {}, {}. Hint: restore one from a copy, or move them "
                       "away to start afresh",
                       where, reason(second), reason(first)));
  folder.save(3, some_writer(), false);
  damage(folder.save(4, some_writer(), false));
  const auto found = folder.newest_valid();
  REQUIRE(found.has_value());
  CHECK_EQ(found->update, 3);
  REQUIRE_EQ(found->refused.size(), 1);
  CHECK(!found->refused.front().parts().expected.empty());
  CHECK(found->refused.front().parts().hint.empty());  // its hint is to use another one: this happens
}

TEST_CASE("temporary files of dead writers are removed at the start") {
  const TemporaryFolder base;
  const auto checkpoints = base / "run" / "checkpoints";
  const auto samples = base / "run" / "samples";
  fs::create_directories(checkpoints);
  fs::create_directories(samples);
  write_bytes(checkpoints / ".update-00000005.ckpt.123-0.glossa-tmp", "half");
  write_bytes(samples / ".update-00000005.txt.123-0.glossa-tmp", "half");
  write_bytes(samples / "update-00000004.txt", "whole");
  write_bytes(base / "run" / ".config.yaml.123-0.glossa-tmp", "half");
  fs::create_symlink("update-00000005.ckpt", checkpoints / ".last.123-0.glossa-tmp");
  write_bytes(checkpoints / ".hidden", "mine");
  CheckpointFolder folder(base / "run", 2);
  CHECK(names_in(checkpoints) == Strings{".hidden"});
  CHECK(names_in(samples) == Strings{"update-00000004.txt"});
  CHECK(names_in(base / "run") == Strings{".lock", "checkpoints", "samples"});
}

TEST_CASE("a second trainer is refused with the name of the holder; afterwards the lock is free") {
  const TemporaryFolder base;
  {
    const CheckpointFolder first(base / "run", 2);
    const std::string text = error_of<Error>([&] { CheckpointFolder second(base / "run", 2); });
    CHECK(text.find("process " + std::to_string(getpid())) != std::string::npos);
    CHECK(text.find("Hint") != std::string::npos);
    CHECK_FALSE(newest_valid_checkpoint(base / "run").has_value());  // readers need no lock
  }
  CHECK_NOTHROW(CheckpointFolder(base / "run", 2));
}

TEST_CASE("checking whether a run has a trainer does not take the lock") {
  const TemporaryFolder base;
  CHECK_FALSE(has_trainer(base / "run"));
  CHECK_FALSE(fs::exists(base / "run"));
  {
    const CheckpointFolder trainer(base / "run", 2);
    CHECK(has_trainer(base / "run"));
    CHECK_THROWS_WITH_AS(chosen_checkpoints(base / "run"), doctest::Contains("Hint: the run is training"), Error);
    CHECK(has_trainer(base / "run"));
  }
  CHECK_FALSE(has_trainer(base / "run"));
}

TEST_CASE("a run folder that cannot be created is an error that names it") {
  const TemporaryFolder base;
  write_bytes(base / "file", "");
  CHECK(error_of<Error>([&] { CheckpointFolder(base / "file", 2); }).find((base / "file").string()) !=
        std::string::npos);
  fs::permissions(base.path(), fs::perms{0555});
  std::string text;
  {
    const Unprivileged user;
    text = error_of<Error>([&] { CheckpointFolder(base / "run", 2); });
  }
  CHECK(text.find("Permission denied") != std::string::npos);
}

TEST_CASE("a failed save leaves links and files as they were") {
  const TemporaryFolder base;
  const auto checkpoints = base / "run" / "checkpoints";
  CheckpointFolder folder(base / "run", 2);
  folder.save(1, some_writer(), true);
  folder.save(2, some_writer(), false);
  fs::create_directory(checkpoints / "update-00000003.ckpt");
  CHECK_THROWS_AS(folder.save(3, some_writer(), true), Error);
  CHECK(fs::read_symlink(checkpoints / "best") == "update-00000001.ckpt");
  CHECK(fs::read_symlink(checkpoints / "last") == "update-00000002.ckpt");
  CHECK(folder.newest_valid()->update == 2);
}
