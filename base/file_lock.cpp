#include "base/file_lock.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "base/check.h"

namespace glossa {
namespace {

struct flock whole_file(int type) {
  struct flock lock {};
  lock.l_type = static_cast<short>(type);
  lock.l_whence = SEEK_SET;
  return lock;
}

bool is_held(int descriptor) {
  struct flock lock = whole_file(F_RDLCK);
  return ::fcntl(descriptor, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

}  // namespace

FileLock::FileLock(const std::filesystem::path& path, std::string hint)
    : path_(path), hint_(std::move(hint)), file_(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666)) {
  check(file_.number() >= 0, path.string(), "cannot open the lock: {}. Hint: check the path and its permissions",
        std::strerror(errno));
}

/// Unlocks explicitly: a process forked meanwhile also has the file open, so closing it here would not end the lock. In
/// such a process, the destructor leaves the lock alone.
FileLock::~FileLock() {
  const struct flock whole = whole_file(F_UNLCK);
  if (file_.number() >= 0 && process_.is_this()) ::fcntl(file_.number(), F_OFD_SETLK, &whole);
}

bool FileLock::lock(int command) {
  const struct flock whole = whole_file(F_WRLCK);
  if (::fcntl(file_.number(), command, &whole) == 0) return true;
  check(errno == EAGAIN || errno == EACCES || errno == EINTR, path_.string(), "cannot lock the file: {}. Hint: {}",
        std::strerror(errno), hint_);
  return false;
}

bool FileLock::take() { return lock(F_OFD_SETLK); }

void FileLock::wait() {
  while (!lock(F_OFD_SETLKW)) continue;
}

bool FileLock::is_held_elsewhere() const { return is_held(file_.number()); }

bool is_at(int descriptor, const std::filesystem::path& path) {
  struct stat open {
  }, named{};
  return ::fstat(descriptor, &open) == 0 && ::stat(path.c_str(), &named) == 0 && open.st_dev == named.st_dev &&
         open.st_ino == named.st_ino;
}

bool is_locked(const std::filesystem::path& path) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  return file.number() >= 0 && is_held(file.number());
}

}  // namespace glossa
