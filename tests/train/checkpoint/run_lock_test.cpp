#include "train/checkpoint/run_lock.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <optional>
#include <thread>

#include "base/check.h"
#include "tests/support/temporary_folder.h"

using namespace glossa;
using namespace glossa::testing;
namespace fs = std::filesystem;

namespace {

/// A trainer that has just locked a run, with no name in the lock yet.
class StartingTrainer {
 public:
  explicit StartingTrainer(const fs::path& run) {
    fs::create_directories(run);
    descriptor_ = open((run / ".lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    struct flock lock {};
    lock.l_type = F_WRLCK;
    lock.l_whence = SEEK_SET;
    REQUIRE_EQ(fcntl(descriptor_, F_OFD_SETLK, &lock), 0);
  }
  ~StartingTrainer() { close(descriptor_); }
  StartingTrainer(const StartingTrainer&) = delete;
  StartingTrainer& operator=(const StartingTrainer&) = delete;

  void write_name() const { REQUIRE_EQ(pwrite(descriptor_, "process 7", 9, 0), 9); }

 private:
  int descriptor_;
};

template <class Action>
std::jthread soon(Action action) {
  return std::jthread([action] {
    std::this_thread::sleep_for(std::chrono::milliseconds(40));
    action();
  });
}

}  // namespace

TEST_CASE("a trainer that ends before it has written its name in the lock leaves the lock to the next") {
  const TemporaryFolder base;
  std::optional<StartingTrainer> first(base / "run");
  const std::jthread end = soon([&] { first.reset(); });
  CHECK_NOTHROW(RunLock(base / "run"));
}

TEST_CASE("a second trainer waits for the name of the first") {
  const TemporaryFolder base;
  const StartingTrainer first(base / "run");
  const std::jthread write = soon([&] { first.write_name(); });
  const std::string text = error_of<Error>([&] { const RunLock second(base / "run"); });
  CHECK_NE(text.find("run/.lock] expected no other trainer in this run; got process 7."), text.npos);
}

TEST_CASE("a trainer that never writes its name is refused without one") {
  const TemporaryFolder base;
  const StartingTrainer first(base / "run");
  const std::string text = error_of<Error>([&] { const RunLock second(base / "run"); });
  CHECK_NE(text.find("got another process."), text.npos);
}

TEST_CASE("a run's folder that was removed, renamed or replaced is noticed") {
  const TemporaryFolder base;
  const fs::path run = base / "run";
  const auto error = [](const RunLock& lock) { return error_of<Error>([&] { lock.check_in_place(); }); };
  const std::string part = "run] expected the folder that training began in; got ";
  {
    const RunLock lock(run);
    CHECK_NOTHROW(lock.check_in_place());
    fs::rename(run, base / "elsewhere");
    CHECK_NE(error(lock).find(part + "none"), std::string::npos);
    fs::create_directory(run);
    CHECK_NE(error(lock).find(part + "another one"), std::string::npos);
    fs::remove(run);
    fs::create_directory_symlink(base / "elsewhere", run);
    CHECK_NOTHROW(lock.check_in_place());
    fs::remove(run);
  }
  const RunLock lock(run);
  fs::remove_all(run);
  fs::create_directory(run);  // many file systems give it the number of the old one, if nobody has that open
  CHECK_NE(error(lock).find(part + "another one"), std::string::npos);
}

TEST_CASE("a run's lock ends with its trainer, and not with a process that was forked meanwhile") {
  const TemporaryFolder base;
  const fs::path run = base / "run";
  std::optional<RunLock> lock(run);
  int ended[2], go[2];
  REQUIRE_EQ(pipe(ended) | pipe(go), 0);
  const pid_t child = fork();
  if (child == 0) {
    alarm(60);
    lock.reset();
    char byte = 0;
    const bool ok = write(ended[1], &byte, 1) == 1 && read(go[0], &byte, 1) == 1;
    _exit(ok ? 0 : 1);
  }
  char byte = 0;
  REQUIRE_EQ(read(ended[0], &byte, 1), 1);
  CHECK(has_trainer(run));
  const pid_t other = fork();  // which keeps its copy
  if (other == 0) {
    alarm(60);
    _exit(read(go[0], &byte, 1) == 1 ? 0 : 1);
  }
  lock.reset();
  CHECK_FALSE(has_trainer(run));
  REQUIRE_EQ(write(go[1], "xx", 2), 2);
  for (const pid_t each : {child, other}) {
    int status = -1;
    REQUIRE_EQ(waitpid(each, &status, 0), each);
    CHECK_EQ(status, 0);
  }
  for (const int end : {ended[0], ended[1], go[0], go[1]}) close(end);
}
