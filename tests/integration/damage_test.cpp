// Damaged checkpoints, foreign vocabularies, full disks and missing permissions.
#include <doctest/doctest.h>
#include <unistd.h>

#include "tests/integration/tiny_run.h"
#include "tests/support/small_disk.h"

using namespace glossa::testing;
namespace fs = std::filesystem;

namespace {

/// True if a temporary file is left anywhere below.
bool has_leftovers(const fs::path& folder) {
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.path().string().ends_with("-tmp")) return true;
  return false;
}

/// Runs glossa as a user who may read the test's files. If the test runs as root, that is another user, and the program
/// is copied to where that user can reach it.
Outcome as_nobody(const TinyRun& tiny, Strings arguments) {
  fs::path program = tested_program();
  if (geteuid() == 0) {
    program = tiny / "glossa";
    fs::copy_file(tested_program(), program, fs::copy_options::skip_existing);
  }
  arguments.insert(arguments.begin(), program);
  return run_program({.arguments = arguments, .input = {}, .folder = {}, .unprivileged = true});
}

}  // namespace

TEST_CASE("a truncated checkpoint is refused by every command") {
  const TinyRun tiny;
  REQUIRE_EQ(tiny.train("run").status, 0);
  const fs::path last = tiny / "run/checkpoints/last";
  const std::string whole = read_bytes(last);
  for (const std::size_t length : {std::size_t{0}, std::size_t{39}, std::size_t{5000}, whole.size() - 1}) {
    write_bytes(last, whole.substr(0, length));
    check_refused(glossa_program({"inspect", last}), 1,
                  {"[" + last.string() + "]", "use another checkpoint of the run"});
    check_refused(glossa_program({"translate", tiny / "run"}, "hello\n"), 1, {"[" + last.string() + "]"});
    check_refused(tiny.train("warm", {"train.warm_start=" + (tiny / "run").string()}), 1, {"[" + last.string() + "]"});
    CHECK_FALSE(fs::exists(tiny / "warm"));
  }
}

TEST_CASE("a flipped bit anywhere in a checkpoint is detected") {
  const TinyRun tiny;
  REQUIRE_EQ(tiny.train("run").status, 0);
  const fs::path last = tiny / "run/checkpoints/last";
  const std::string whole = read_bytes(last);
  for (std::size_t i = 0; i < 12; ++i) {  // from the first byte to the last
    std::string flipped = whole;
    char& byte = flipped[i * (whole.size() - 1) / 11];
    byte = static_cast<char>(byte ^ (1 << (i % 8)));
    write_bytes(last, flipped);
    CAPTURE(i);
    check_refused(glossa_program({"inspect", last, "--json"}), 1, {"[" + last.string() + "]"});
    check_refused(glossa_program({"translate", tiny / "run"}, "hello\n"), 1, {"[" + last.string() + "]"});
  }
  write_bytes(last, whole);
  CHECK_EQ(glossa_program({"translate", tiny / "run"}, "hello\n").status, 0);
}

TEST_CASE("the vocabulary of another model is refused") {
  const TinyRun tiny;
  REQUIRE_EQ(tiny.train("run").status, 0);
  const fs::path source = tiny / "run/source.vocabulary.txt", target = tiny / "run/target.vocabulary.txt";
  const std::string own = read_bytes(source);
  write_bytes(source, read_bytes(target));
  check_refused(glossa_program({"translate", tiny / "run"}, "hello\n"), 1, {"run]", "vocabulary"});
  check_refused(tiny.resume("run", {"train.max_updates=40"}), 1, {"run]", "vocabulary"});
  fs::remove(source);
  check_refused(glossa_program({"translate", tiny / "run"}, "hello\n"), 1, {"[" + source.string() + "]"});
  write_bytes(source, own);
  CHECK_EQ(glossa_program({"translate", tiny / "run"}, "hello\n").status, 0);
}

TEST_CASE("the configuration of another model or other data is refused, even if its shapes fit") {
  const TinyRun tiny;
  REQUIRE_EQ(tiny.train("run").status, 0);
  const fs::path config = tiny / "run/config.yaml";
  const std::string own = read_bytes(config);
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string edited = own;
    edited.replace(edited.find(from), from.size(), to);
    write_bytes(config, edited);
  };
  with("width: 16", "width: 32");
  check_refused(glossa_program({"translate", tiny / "run"}, "hello\n"), 2, {"[model.width]", "expected 16", "got 32"});
  with("  norm: pre", "  norm: post");
  check_refused(glossa_program({"translate", tiny / "run"}, "hello\n"), 2,
                {"[model.norm]", "expected pre", "got post", "restore " + config.string()});
  write_bytes(config, own);
  check_refused(tiny.train("run", {"model.norm=post", "train.max_updates=40"}, {"--resume"}), 2,
                {"[model.norm]", "expected pre", "got post"});
  with("lowercase: false", "lowercase: true");
  check_refused(glossa_program({"translate", tiny / "run"}, "hello\n"), 2, {"[data.lowercase]"});

  with("beam: 1", "beam: 2");  // not an option of the model
  CHECK_EQ(glossa_program({"translate", tiny / "run"}, "hello\n").status, 0);
  fs::remove(config);  // the checkpoint has a copy
  REQUIRE_EQ(tiny.resume("run").status, 0);
  CHECK_EQ(read_bytes(config), own);
}

TEST_CASE("a full disk fails the save and keeps the checkpoint before it, and the run resumes once there is space") {
  const TinyRun tiny;
  const SmallDisk disk(tiny / "disk", "600k");  // room for two checkpoints
  if (!disk.mounted()) {
    MESSAGE("SKIPPED: the test of a full disk needs root and the right to mount a tmpfs");
    return;
  }
  const Outcome full = tiny.train("disk/run");
  check_error(full, 1, {"update-00000015.ckpt]", "No space left on device", "bytes needed", "free"});
  CHECK_NE(full.err.find("warning: the run's checkpoints need "), std::string::npos);
  CHECK_FALSE(has_leftovers(tiny / "disk"));
  CHECK_EQ(tiny.last_update("disk/run"), 10);
  CHECK_EQ(glossa_program({"translate", tiny / "disk/run"}, "hello\n").status, 0);

  REQUIRE(disk.resize("4m"));
  REQUIRE_EQ(tiny.resume("disk/run").status, 0);
  REQUIRE_EQ(tiny.train("undisturbed").status, 0);
  CHECK_EQ(tiny.hashes("disk/run"), tiny.hashes("undisturbed"));
  CHECK_EQ(tiny.metrics("disk/run"), tiny.metrics("undisturbed"));
}

TEST_CASE("a disk that is full from the start is reported, and no temporary files are left") {
  const TinyRun tiny;
  const SmallDisk disk(tiny / "disk", "4k");
  if (!disk.mounted()) {
    MESSAGE("SKIPPED: the test of a full disk needs root and the right to mount a tmpfs");
    return;
  }
  check_error(tiny.train("disk/run"), 1, {"disk/run]", " of disk space for a checkpoint; got 0.0 MiB"});
  CHECK_FALSE(has_leftovers(tiny / "disk"));
  check_refused(glossa_program({"generate", "toy", "--out", tiny / "disk/toy", "--pairs", "2000"}), 1,
                {"disk/toy", "No space left on device"});
  CHECK_FALSE(has_leftovers(tiny / "disk"));
}

TEST_CASE("a command fails if its standard output cannot be written") {
  const TinyRun tiny;
  REQUIRE_EQ(tiny.train("run").status, 0);
  for (const char* command :
       {"echo hello | $0 translate run", "$0 evaluate run --source toy/test.en --reference toy/test.hi --json",
        "$0 inspect run/checkpoints/last", "$0 inspect run/checkpoints/last --json", "$0 train tiny.yaml --dump-config",
        "$0 options", "$0 --help", "$0 help train", "$0 --version"}) {
    CAPTURE(command);
    const Outcome lost =
        run_program({.arguments = {"/bin/bash", "-c", command + std::string(" >/dev/full"), tested_program()},
                     .input = {},
                     .folder = tiny.path()});
    check_refused(lost, 1, {"[standard output]"});
  }
}

TEST_CASE("a thread that cannot be started is not reported as a full disk") {
  const TinyRun tiny;
  REQUIRE_EQ(as_nobody(tiny, {"--version"}).status, 0);
  Strings arguments = tiny.train_arguments("run");
  const fs::path program = geteuid() == 0 ? tiny / "glossa" : fs::path(tested_program());
  arguments.insert(arguments.begin(),
                   {"/bin/bash", "-c", "export ASAN_OPTIONS=detect_leaks=0; ulimit -u 1; exec \"$0\" \"$@\"", program});
  const Outcome outcome = run_program({.arguments = arguments, .input = {}, .folder = {}, .unprivileged = true});
  check_refused(outcome, 1, {"[threads]", "Resource temporarily unavailable", "ulimit -u"});
}

TEST_CASE("missing permissions for the run's folder, the corpus or the run are reported") {
  const TinyRun tiny;
  REQUIRE_EQ(as_nobody(tiny, {"--version"}).status, 0);
  fs::permissions(tiny.path(), fs::perms{0555});
  check_refused(as_nobody(tiny, tiny.train_arguments("run")), 1, {"[" + (tiny / "run").string(), "Permission denied"});
  fs::permissions(tiny.path(), fs::perms{0755});
  CHECK_FALSE(fs::exists(tiny / "run"));

  REQUIRE_EQ(tiny.train("run").status, 0);
  fs::permissions(tiny / "run/.lock", fs::perms{0444});
  const std::string hashes = tiny.hashes("run");
  check_refused(as_nobody(tiny, tiny.train_arguments("run", {"train.max_updates=40"}, {"--resume"})), 1,
                {"run/.lock]", "Permission denied"});
  CHECK_EQ(tiny.hashes("run"), hashes);

  fs::permissions(tiny / "run", fs::perms::owner_all);
  if (geteuid() == 0)  // an owner may always enter
    check_refused(as_nobody(tiny, {"translate", tiny / "run"}), 1, {"run", "Permission denied"});

  fs::permissions(tiny / "toy/train.en", fs::perms::none);
  check_refused(as_nobody(tiny, tiny.train_arguments("other")), 1, {"toy/train.en]", "Permission denied"});
}
