#pragma once

#include <filesystem>
#include <string>

#include "base/descriptor.h"
#include "base/own_process.h"

namespace glossa {

/// True if `path` leads to the open file or folder.
bool is_at(int descriptor, const std::filesystem::path& path);

/// Lock of an open file. It ends with the object, even if a process that was forked meanwhile still has the file open.
/// If the process is killed, the lock ends with it.
class FileLock {
 public:
  /// Opens the file, and creates it if needed. Does not lock it. `hint` is for an error if it cannot be locked.
  FileLock(const std::filesystem::path& path, std::string hint);
  FileLock(FileLock&&) = default;
  ~FileLock();

  /// Takes the lock. Returns false if another one holds it, or waits for its end.
  bool take();
  void wait();

  /// True if another one holds the lock.
  bool is_held_elsewhere() const;

  /// True if the open file still has its name.
  bool is_in_place() const { return is_at(file_.number(), path_); }

  int descriptor() const { return file_.number(); }

 private:
  bool lock(int command);

  std::filesystem::path path_;
  std::string hint_;
  Descriptor file_;
  OwnProcess process_;
};

/// True if the file is there and locked. Does not take the lock, so it cannot keep others from it.
bool is_locked(const std::filesystem::path& path);

}  // namespace glossa
