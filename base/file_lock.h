#pragma once

#include <filesystem>
#include <string>

#include "base/descriptor.h"
#include "base/own_process.h"

namespace glossa {

/// True if `path` still leads to this open file or folder.
bool is_at(int descriptor, const std::filesystem::path& path);

/// Exclusive lock on an open file. The destructor unlocks it, even if a process forked meanwhile still has the file
/// open. If this process is killed, the lock ends when no forked process has the file open.
class FileLock {
 public:
  /// Opens the file and creates it if needed, without locking it. If locking fails, the error shows `hint`.
  FileLock(const std::filesystem::path& path, std::string hint);
  FileLock(FileLock&&) = default;
  ~FileLock();

  /// Takes the lock. If another holder has it, `take` returns false and `wait` waits until it is free.
  bool take();
  void wait();

  /// True if another holder has the lock.
  bool is_held_elsewhere() const;

  /// True if the path still leads to the open file.
  bool is_in_place() const { return is_at(file_.number(), path_); }

  int descriptor() const { return file_.number(); }

 private:
  bool lock(int command);

  std::filesystem::path path_;
  std::string hint_;
  Descriptor file_;
  OwnProcess process_;
};

/// True if the file exists and is locked. Does not take the lock, so other processes can.
bool is_locked(const std::filesystem::path& path);

}  // namespace glossa
