#include "data/text/byte_source.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <span>

#include "base/check.h"
#include "base/formats/zip_file.h"
#include "base/nearest_name.h"
#include "data/text/shell_word.h"
#include "data/text/stored_text.h"
#include "data/text/unpacker.h"

namespace glossa {
namespace {

std::string system_error() { return std::strerror(errno); }

/// True for a device that cannot be read like a file, because it may be endless. The null device and terminals have an
/// end.
bool is_endless_device(int descriptor, const struct stat& status) {
  const bool is_device = S_ISCHR(status.st_mode) || S_ISBLK(status.st_mode);
  constexpr unsigned null_major = 1, null_minor = 3;
  return is_device && status.st_rdev != makedev(null_major, null_minor) && ::isatty(descriptor) == 0;
}

Descriptor open_for_reading(const std::string& path) {
  Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.number() < 0) {
    const std::string reason = system_error(), nearest = errno == ENOENT ? nearest_path(path) : "";
    fail(path, "cannot open the file: {}. Hint: {}", reason,
         path == "-"       ? "standard input is the file /dev/stdin"
         : nearest.empty() ? "check the path and its permissions"
                           : fmt::format("did you mean {}?", shell_path(nearest)));
  }
  struct stat status;
  if (::fstat(file.number(), &status) == 0) {
    check(!is_endless_device(file.number(), status), path,
          "expected a file or a pipe; got a device. Hint: name a file");
    check(!S_ISDIR(status.st_mode), path, "expected a file; got a directory. Hint: name a file in it");
  }
  return file;
}

/// Opens the archive member that `path` names; returns null if `path` names a file.
std::unique_ptr<ZipStream> open_member(const std::string& path) {
  const auto place = archive_member(path);
  if (!place) return {};
  const auto archive = open_archive(place->archive);
  const auto found = archive->entries().find(place->member);
  check(found != archive->entries().end(), place->archive, "expected '{}' in the archive; not found", place->member);
  return std::make_unique<ZipStream>(archive->open(found->second));
}

}  // namespace

ByteSource::ByteSource(const std::string& path, Packing packing) : name_(path), member_(open_member(path)) {
  if (!member_) file_ = open_for_reading(path);
  descriptor_ = file_.number();
  if (packing == Packing::by_name)
    unpacker_ = make_unpacker(path, [this](char* bytes, std::size_t size) { return read_plain(bytes, size); });
}

ByteSource::ByteSource(int descriptor, const std::string& name) : name_(name), descriptor_(descriptor) {}

ByteSource::~ByteSource() = default;

std::size_t ByteSource::read(char* bytes, std::size_t size) {
  return unpacker_ ? unpacker_->read(bytes, size) : read_plain(bytes, size);
}

std::size_t ByteSource::read_plain(char* bytes, std::size_t size) {
  if (member_) return member_->read(std::as_writable_bytes(std::span(bytes, size)));
  for (;;) {
    const ssize_t got = ::read(descriptor_, bytes, size);
    if (got >= 0) return static_cast<std::size_t>(got);
    if (errno != EINTR) fail(name_, "cannot read: {}", system_error());
  }
}

bool ByteSource::would_wait() const {
  pollfd input{.fd = descriptor_, .events = POLLIN, .revents = 0};
  return !unpacker_ && !member_ && ::poll(&input, 1, 0) == 0;
}

}  // namespace glossa
