#pragma once

#include <filesystem>

#include "base/descriptor.h"
#include "base/file_lock.h"

namespace glossa {

/// Lock of a run, RUN/.lock, which allows only one trainer at a time.
class RunLock {
 public:
  /// Creates the run's folder if needed, and takes the lock. If another trainer holds the lock, throws an Error that
  /// names that trainer.
  explicit RunLock(const std::filesystem::path& run);

  /// Throws if the run's path no longer leads to the locked folder, because the folder was removed, renamed or
  /// replaced.
  void check_in_place() const;

 private:
  std::filesystem::path run_;
  Descriptor folder_;  // kept open: no new folder can then reuse its inode number
  FileLock file_;
};

/// True if a trainer holds the run's lock now. Does not take the lock: a trainer can still start.
bool has_trainer(const std::filesystem::path& run);

}  // namespace glossa
