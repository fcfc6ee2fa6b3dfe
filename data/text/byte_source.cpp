#include "data/text/byte_source.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>
#include <zlib.h>

#include <cerrno>
#include <cstring>
#include <vector>

#include "base/check.h"
#include "base/nearest_name.h"
#include "data/text/shell_word.h"

namespace glossa {
namespace {

std::string system_error() { return std::strerror(errno); }

/// True for a device that cannot be read like a file, because it may have no end. The null device has one, and so has
/// input at a terminal.
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

}  // namespace

/// Unpacks gzip data: one or more members, and nothing else. (zlib's own reader of files ignores what follows them.)
class ByteSource::Unpacker {
 public:
  explicit Unpacker(ByteSource& packed) : packed_(packed) {
    constexpr int only_gzip = 16;
    check(::inflateInit2(&stream_, MAX_WBITS + only_gzip) == Z_OK, packed.name_,
          "cannot unpack the gzip file: out of memory");
  }
  ~Unpacker() { ::inflateEnd(&stream_); }
  Unpacker(const Unpacker&) = delete;
  Unpacker& operator=(const Unpacker&) = delete;

  std::size_t read(char* bytes, std::size_t size) {
    stream_.next_out = reinterpret_cast<Bytef*>(bytes);
    stream_.avail_out = static_cast<uInt>(size);
    while (stream_.avail_out == size) {
      if (stream_.avail_in == 0) refill();
      if (stream_.avail_in == 0 && is_between_members_) return 0;
      inflate();
    }
    return size - stream_.avail_out;
  }

 private:
  void refill() {
    stream_.next_in = reinterpret_cast<Bytef*>(buffer_.data());
    stream_.avail_in = static_cast<uInt>(packed_.read_plain(buffer_.data(), buffer_.size()));
  }

  /// Takes input and leaves output as far as both have room.
  void inflate() {
    const int code = ::inflate(&stream_, Z_NO_FLUSH);
    is_between_members_ = code == Z_STREAM_END;
    if (is_between_members_) {
      is_first_member_ = false;
      ::inflateReset(&stream_);
    } else if (code != Z_OK) {
      refuse(code);
    }
  }

  [[noreturn]] void refuse(int code) const {
    constexpr uLong magic_bytes = 2;
    if (stream_.total_in > magic_bytes)
      fail(packed_.name_, "cannot unpack the gzip file: {}",
           code == Z_BUF_ERROR      ? "unexpected end of file"  // neither input nor output is left
           : stream_.msg != nullptr ? stream_.msg
                                    : ::zError(code));
    if (is_first_member_) fail(packed_.name_, "expected gzip data; got something else. Hint: the name ends in .gz");
    fail(packed_.name_, "expected only gzip data; got other bytes after it. Hint: unpack the file and pack it again");
  }

  ByteSource& packed_;
  std::vector<char> buffer_ = std::vector<char>(usual_bytes);
  z_stream stream_{};
  bool is_first_member_ = true, is_between_members_ = false;
};

ByteSource::ByteSource(const std::string& path, Packing packing)
    : name_(path), file_(open_for_reading(path)), descriptor_(file_.number()) {
  if (packing == Packing::by_name && path.ends_with(".gz")) unpacker_ = std::make_unique<Unpacker>(*this);
}

ByteSource::ByteSource(int descriptor, const std::string& name) : name_(name), descriptor_(descriptor) {}

ByteSource::~ByteSource() = default;

std::size_t ByteSource::read(char* bytes, std::size_t size) {
  return unpacker_ ? unpacker_->read(bytes, size) : read_plain(bytes, size);
}

std::size_t ByteSource::read_plain(char* bytes, std::size_t size) {
  for (;;) {
    const ssize_t got = ::read(descriptor_, bytes, size);
    if (got >= 0) return static_cast<std::size_t>(got);
    if (errno != EINTR) fail(name_, "cannot read: {}", system_error());
  }
}

bool ByteSource::would_wait() const {
  pollfd input{.fd = descriptor_, .events = POLLIN, .revents = 0};
  return !unpacker_ && ::poll(&input, 1, 0) == 0;
}

}  // namespace glossa
