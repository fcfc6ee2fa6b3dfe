#include "train/checkpoint/run_lock.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>

#include "base/atomic_file.h"
#include "base/check.h"

namespace glossa {
namespace {

namespace fs = std::filesystem;

fs::path lock_file(const fs::path& run) { return run / ".lock"; }

/// A lock of the open file, not the process: it ends when its last descriptor is closed.
struct flock whole_file(int type) {
  struct flock lock {};
  lock.l_type = static_cast<short>(type);
  lock.l_whence = SEEK_SET;
  return lock;
}

/// True if another open file holds the lock.
bool is_held(int descriptor) {
  struct flock lock = whole_file(F_RDLCK);
  return fcntl(descriptor, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

int open_folder(const fs::path& run) {
  create_folder(run);
  const int descriptor = open(run.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
  check(descriptor != -1, run.string(), "cannot open the run's folder: {}. Hint: check the path and its permissions",
        std::strerror(errno));
  return descriptor;
}

int open_lock(const fs::path& path) {
  const int descriptor = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  check(descriptor != -1, path.string(), "cannot open the run's lock: {}. Hint: check the path and its permissions",
        std::strerror(errno));
  return descriptor;
}

/// Name of the lock's holder. Empty if it has not written its name yet, or has ended meanwhile.
std::string holder_of(int descriptor) {
  char name[64]{};
  const bool is_named = pread(descriptor, name, sizeof name - 1, 0) > 0;
  return is_named && is_held(descriptor) ? name : "";
}

}  // namespace

RunLock::RunLock(const fs::path& run) : run_(run), folder_(open_folder(run)), file_(open_lock(lock_file(run))) {
  lock();
  write_holder();
}

void RunLock::lock() {
  const std::string where = lock_file(run_).string();
  const struct flock lock = whole_file(F_WRLCK);
  // A holder without a name is starting or ending, and soon has a name or no lock.
  constexpr int attempts = 100;
  for (int attempt = 1; fcntl(file_.number(), F_OFD_SETLK, &lock) == -1; ++attempt) {
    check(errno == EAGAIN || errno == EACCES, where, "cannot lock the run: {}", std::strerror(errno));
    const std::string holder = holder_of(file_.number());
    check(holder.empty() && attempt < attempts, where,
          "expected no other trainer in this run; got {}. Hint: let it finish, or choose another run",
          holder.empty() ? "another process" : holder);
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
}

/// Only for messages; the kernel knows the holder.
void RunLock::write_holder() {
  const std::string holder = fmt::format("process {}", getpid());
  const bool written = ftruncate(file_.number(), 0) == 0 && pwrite(file_.number(), holder.data(), holder.size(), 0) > 0;
  check(written, lock_file(run_).string(), "cannot write the run's lock: {}", std::strerror(errno));
}

void RunLock::check_in_place() const {
  struct stat locked {
  }, named{};
  const bool is_there = stat(run_.c_str(), &named) == 0;
  const bool is_same = is_there && fstat(folder_.number(), &locked) == 0 && named.st_dev == locked.st_dev &&
                       named.st_ino == locked.st_ino;
  check(is_same, run_.string(),
        "expected the folder that training began in; got {}. Hint: it was removed or renamed meanwhile; if it still "
        "exists, it has the earlier checkpoints",
        is_there ? "another one" : "none");
}

bool has_trainer(const fs::path& run) {
  const Descriptor lock(open(lock_file(run).c_str(), O_RDONLY | O_CLOEXEC));
  return lock.number() >= 0 && is_held(lock.number());
}

}  // namespace glossa
