#include "train/checkpoint/run_lock.h"

#include <fcntl.h>
#include <fmt/format.h>
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

int open_folder(const fs::path& run) {
  create_folder(run);
  const int descriptor = open(run.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
  check(descriptor != -1, run.string(), "cannot open the run's folder: {}. Hint: check the path and its permissions",
        std::strerror(errno));
  return descriptor;
}

/// Returns the name of the lock's holder. Empty if the holder has not written its name yet, or has already ended.
std::string holder_of(const FileLock& lock) {
  char name[64]{};
  const bool is_named = pread(lock.descriptor(), name, sizeof name - 1, 0) > 0;
  return is_named && lock.is_held_elsewhere() ? name : "";
}

}  // namespace

RunLock::RunLock(const fs::path& run)
    : run_(run), folder_(open_folder(run)), file_(lock_file(run), "choose a folder for the run on a local disk") {
  const std::string where = lock_file(run).string();
  // A holder without a name is starting or ending: it will soon have a name, or will release the lock.
  constexpr int attempts = 100;
  for (int attempt = 1; !file_.take(); ++attempt) {
    const std::string holder = holder_of(file_);
    check(holder.empty() && attempt < attempts, where,
          "expected no other trainer in this run; got {}. Hint: let it finish, or choose another run",
          holder.empty() ? "another process" : holder);
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  // The name is only for messages; the kernel keeps track of the holder.
  const std::string holder = fmt::format("process {}", getpid());
  const bool written =
      ftruncate(file_.descriptor(), 0) == 0 && pwrite(file_.descriptor(), holder.data(), holder.size(), 0) > 0;
  check(written, where, "cannot write the run's lock: {}", std::strerror(errno));
}

void RunLock::check_in_place() const {
  std::error_code ignored;
  check(is_at(folder_.number(), run_), run_.string(),
        "expected the folder that training began in; got {}. Hint: it was removed or renamed meanwhile; if it still "
        "exists, it has the earlier checkpoints",
        fs::exists(run_, ignored) ? "another one" : "none");
}

bool has_trainer(const fs::path& run) { return is_locked(lock_file(run)); }

}  // namespace glossa
