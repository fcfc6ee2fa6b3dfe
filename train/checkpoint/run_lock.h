#pragma once

#include <filesystem>

namespace glossa {

/// Lock of a run, RUN/.lock: one trainer at a time. The kernel releases it when the process ends, however it ends.
class RunLock {
 public:
  /// Creates the folder if needed and takes the lock; a second trainer gets an Error that names the holder.
  explicit RunLock(const std::filesystem::path& run);

  /// Throws if the run's name no longer leads to the locked folder, because the folder was removed, renamed or
  /// replaced.
  void check_in_place() const;

 private:
  /// An open file or folder.
  class Descriptor {
   public:
    explicit Descriptor(int number) : number_(number) {}
    ~Descriptor();
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    operator int() const { return number_; }

   private:
    int number_;
  };

  void lock();
  void write_holder();

  std::filesystem::path run_;
  Descriptor folder_;  // kept open, so that no new folder reuses its inode number
  Descriptor file_;
};

/// True if a trainer holds the run's lock now. Does not take the lock itself, so a trainer that is just starting still
/// gets it.
bool has_trainer(const std::filesystem::path& run);

}  // namespace glossa
