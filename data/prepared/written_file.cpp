#include "data/prepared/written_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

#include "base/check.h"
#include "base/crc32c.h"

namespace glossa {

namespace {

constexpr std::size_t buffer_bytes = 1 << 20;

[[noreturn]] void fail_with_errno(const std::filesystem::path& path, std::string_view action) {
  const int reason = errno;
  fail(path.string(), "cannot {}: {}. Hint: {}", action, std::strerror(reason),
       reason == ENOSPC || reason == EDQUOT ? "free some space, or use a folder on another disk"
                                            : "check the folder and its permissions, or use another folder");
}

}  // namespace

WrittenFile WrittenFile::create(const std::filesystem::path& path) {
  Descriptor file(::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
  if (file.number() < 0) fail_with_errno(path, "create the file");
  return {std::move(file), path};
}

WrittenFile WrittenFile::nameless(const std::filesystem::path& folder) {
  if (Descriptor file(::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600)); file.number() >= 0)
    return {std::move(file), folder};
  // Some file systems do not support O_TMPFILE. There, the file is created with a name, which is then removed.
  std::string name = (folder / ".text.XXXXXX").string();
  Descriptor file(::mkostemp(name.data(), O_CLOEXEC));
  if (file.number() < 0) fail_with_errno(folder, "create a file in the folder");
  if (::unlink(name.c_str()) != 0) fail_with_errno(name, "remove the file's name");
  return {std::move(file), folder};
}

void WrittenFile::write(std::span<const std::byte> bytes) {
  buffer_.insert(buffer_.end(), bytes.begin(), bytes.end());
  size_ += bytes.size();
  if (buffer_.size() >= buffer_bytes) flush();
}

void WrittenFile::flush() {
  checksum_ = crc32c(buffer_, checksum_);
  for (std::span<const std::byte> rest(buffer_); !rest.empty();) {
    const ssize_t count = ::write(file_.number(), rest.data(), rest.size());
    if (count < 0 && errno != EINTR) fail_with_errno(path_, "write the file");
    if (count > 0) rest = rest.subspan(static_cast<std::size_t>(count));
  }
  buffer_.clear();
}

void WrittenFile::finish(bool durable) {
  flush();
  buffer_ = {};
  if (durable && ::fsync(file_.number()) != 0) fail_with_errno(path_, "sync the file");
}

}  // namespace glossa
