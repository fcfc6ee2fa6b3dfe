#include "base/atomic_file.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#include "base/check.h"

namespace glossa {
namespace {

constexpr std::string_view temporary_suffix = ".glossa-tmp";

/// Throws an Error for errno `code` after `action` on `path` failed; `needed` is the number of bytes to write.
[[noreturn]] void fail_system(const std::filesystem::path& path, std::string_view action, int code,
                              std::uint64_t needed = 0) {
  Error::Parts parts = Error::Parts::of(path.string(), "cannot {}: {}", action, std::strerror(code));
  if (code == ENOSPC || code == EDQUOT) {
    struct statvfs disk {};
    const bool known = statvfs(path.parent_path().c_str(), &disk) == 0;
    parts.problem += fmt::format(" ({} bytes needed, {} free)", needed,
                                 known ? fmt::format("{}", std::uint64_t{disk.f_bavail} * disk.f_frsize) : "unknown");
    parts.hint = "free some space, or choose a folder on another disk";
  } else if (code == EFBIG) {
    parts.problem += fmt::format(" ({} bytes needed)", needed);
    parts.hint = "raise the file size limit (ulimit -f)";
  } else if (code == EACCES || code == EPERM || code == EROFS) {
    parts.hint = "check the folder's permissions, or choose another one";
  } else if (code == ENOENT) {
    parts.hint = fmt::format("create the folder {} first", path.parent_path().string());
  }
  throw Error(Error::Kind::failure, std::move(parts));
}

template <class Call>
auto without_interruption(Call call) {
  auto result = call();
  while (result == -1 && errno == EINTR) result = call();
  return result;
}

/// Calls `create` with fresh temporary names beside `target` until one is unused; returns that name.
template <class Create>
std::filesystem::path with_temporary_name(const std::filesystem::path& target, Create create) {
  for (int attempt = 0;; ++attempt) {
    auto name = target.parent_path() /
                fmt::format(".{}.{}-{}{}", target.filename().string(), getpid(), attempt, temporary_suffix);
    if (create(name.c_str()) != -1) return name;
    if (errno == EEXIST) continue;
    const int code = errno;
    std::error_code ignored;
    // A folder such as /proc accepts no new files.
    if (code == ENOENT && std::filesystem::is_directory(target.parent_path(), ignored))
      fail(target.string(), "cannot create the file: the folder does not take new files. Hint: choose another folder");
    fail_system(target, "create the file", code);
  }
}

/// Reserves `size` bytes on disk; returns 0 or an errno. Also returns 0 if the file system cannot reserve space; a full
/// disk then makes a later write fail.
int reserve(int descriptor, std::uint64_t size) {
  // Exceeding this limit raises SIGXFSZ, which kills the process by default.
  rlimit limit{};
  if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && size > limit.rlim_cur) return EFBIG;
  if (size == 0) return 0;
  const int result = without_interruption([&] { return fallocate(descriptor, 0, 0, static_cast<off_t>(size)); });
  return result == -1 && errno != EOPNOTSUPP && errno != ENOSYS ? errno : 0;
}

std::filesystem::path absolute_path(const std::filesystem::path& path) {
  check(!path.empty(), "path",
        "expected the name of a file or folder; got ''. Hint: name one, such as 'weights.safetensors'");
  std::error_code code;
  std::filesystem::path absolute = std::filesystem::absolute(path, code);
  check(!code, path.string(), "cannot find the current folder: {}. Hint: pass an absolute path", code.message());
  return absolute;
}

}  // namespace

AtomicFile::AtomicFile(std::filesystem::path target, std::uint64_t size) : target_(absolute_path(target)), size_(size) {
  std::error_code ignored;
  constexpr int max_links = 40;  // the kernel's limit for one path
  for (int links = 0; links < max_links && std::filesystem::is_symlink(target_, ignored); ++links)
    target_ = target_.parent_path() / std::filesystem::read_symlink(target_);
  check(!std::filesystem::is_directory(target_, ignored), target_.string(),
        "expected the name of a file; got a folder. Hint: name a file in it");
  check(!std::filesystem::is_other(target_, ignored), target_.string(),
        "expected the name of a file; got a device or a pipe, which a file would replace. Hint: name a file");
  temporary_ = with_temporary_name(target_, [&](const char* name) {
    return descriptor_ =
               without_interruption([&] { return open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666); });
  });
  if (const int code = reserve(descriptor_, size_)) {
    close(descriptor_);
    unlink(temporary_.c_str());
    fail_system(target_, "reserve its space", code, size_);
  }
}

AtomicFile::~AtomicFile() {
  if (descriptor_ != -1) close(descriptor_);
  if (!temporary_.empty()) unlink(temporary_.c_str());
}

void AtomicFile::require(bool ok, std::string_view action) const {
  if (!ok) fail_system(target_, action, errno, size_);
}

void AtomicFile::write(std::span<const std::byte> bytes) {
  check(bytes.size() <= size_ - written_, target_.string(), "expected {} bytes in all; got more", size_);
  written_ += bytes.size();
  while (!bytes.empty()) {
    const ssize_t count = without_interruption([&] { return ::write(descriptor_, bytes.data(), bytes.size()); });
    require(count != -1, "write it");
    bytes = bytes.subspan(static_cast<std::size_t>(count));
  }
}

void AtomicFile::commit(const std::function<void(const std::filesystem::path&)>& verify) {
  check(written_ == size_, target_.string(), "expected {} bytes in all; got {}", size_, written_);
  require(fsync(descriptor_) == 0, "sync it");
  require(close(std::exchange(descriptor_, -1)) == 0, "close it");
  if (verify) verify(temporary_);
  require(rename(temporary_.c_str(), target_.c_str()) == 0, "replace it");
  temporary_.clear();
  sync_folder(target_.parent_path());
}

void write_file_atomically(const std::filesystem::path& target, std::string_view text) {
  AtomicFile file(target, text.size());
  file.write(std::as_bytes(std::span(text)));
  file.commit();
}

void replace_link(const std::filesystem::path& link, const std::string& name) {
  const auto temporary =
      with_temporary_name(link, [&](const char* temporary) { return symlink(name.c_str(), temporary); });
  if (rename(temporary.c_str(), link.c_str()) == -1) {
    const int code = errno;
    unlink(temporary.c_str());
    fail_system(link, "replace the link", code);
  }
  sync_folder(link.parent_path());
}

void create_folder(const std::filesystem::path& folder) {
  std::filesystem::path path = absolute_path(folder);
  if (!path.has_filename()) path = path.parent_path();  // path has a trailing slash
  const std::filesystem::path above = path.parent_path();
  std::error_code code;
  if (!std::filesystem::is_directory(path, code)) {
    check(!std::filesystem::exists(path, code), folder.string(),
          "expected a folder or a new name; got a file. Hint: name another folder");
    create_folder(above);
    std::filesystem::create_directory(path, code);
    check(!code, folder.string(), "cannot create the folder: {}. Hint: check the path and its permissions",
          code.message());
  }
  // A folder that can be entered but not read cannot be synced.
  if (euidaccess(above.c_str(), R_OK) == 0) sync_folder(above);
}

void write_folder_atomically(const std::filesystem::path& folder, const std::filesystem::path& temporary,
                             const std::function<void(const std::filesystem::path&)>& write) {
  std::error_code code;
  try {
    std::filesystem::remove_all(temporary);  // a killed program may have left this folder
    create_folder(temporary);
    write(temporary);
    sync_folder(temporary);
    std::filesystem::rename(temporary, folder, code);
    check(!code, folder.string(), "cannot name the folder: {}", code.message());
    sync_folder(folder.parent_path());
  } catch (...) {
    std::filesystem::remove_all(temporary, code);
    throw;
  }
}

void sync_folder(const std::filesystem::path& folder) {
  const std::filesystem::path named = folder.empty() ? "." : folder;
  const int descriptor = without_interruption([&] { return open(named.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC); });
  if (descriptor == -1) fail_system(named, "open the folder", errno);
  const int code = fsync(descriptor) == 0 ? 0 : errno;
  close(descriptor);
  // Some network file systems cannot sync a folder; renames there cannot be made more durable.
  if (code != 0 && code != EINVAL && code != EOPNOTSUPP && code != ENOSYS) fail_system(named, "sync the folder", code);
}

bool is_temporary_name(std::string_view name) { return name.starts_with('.') && name.ends_with(temporary_suffix); }

}  // namespace glossa
