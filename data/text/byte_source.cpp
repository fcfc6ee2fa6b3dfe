#include "data/text/byte_source.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <cerrno>
#include <cstring>

#include "autograd/check.h"

namespace glossa {
namespace {

std::string system_error() { return std::strerror(errno); }

int open_for_reading(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  check(descriptor >= 0, path, "cannot open the file: {}. Hint: check the path and its permissions", system_error());
  struct stat status;
  if (::fstat(descriptor, &status) == 0 && S_ISDIR(status.st_mode)) {
    ::close(descriptor);
    fail(path, "expected a file; got a directory. Hint: name a file in it");
  }
  return descriptor;
}

gzFile gzip_of(void* gzip) { return static_cast<gzFile>(gzip); }

}  // namespace

ByteSource::ByteSource(const std::string& path, Packing packing)
    : name_(path), descriptor_(open_for_reading(path)), is_own_(true) {
  if (packing == Packing::none || !path.ends_with(".gz")) return;
  gzip_ = ::gzdopen(descriptor_, "rb");
  if (gzip_) return;
  ::close(descriptor_);
  fail(path, "cannot unpack the gzip file: out of memory");
}

ByteSource::ByteSource(int descriptor, const std::string& name)
    : name_(name), descriptor_(descriptor), is_own_(false) {}

ByteSource::~ByteSource() {
  if (gzip_)
    ::gzclose(gzip_of(gzip_));
  else if (is_own_)
    ::close(descriptor_);
}

std::size_t ByteSource::read(char* bytes, std::size_t size) {
  return gzip_ ? read_packed(bytes, size) : read_plain(bytes, size);
}

std::size_t ByteSource::read_plain(char* bytes, std::size_t size) {
  for (;;) {
    const ssize_t got = ::read(descriptor_, bytes, size);
    if (got >= 0) return static_cast<std::size_t>(got);
    if (errno != EINTR) fail(name_, "cannot read: {}", system_error());
  }
}

std::size_t ByteSource::read_packed(char* bytes, std::size_t size) {
  const gzFile gzip = gzip_of(gzip_);
  const int got = ::gzread(gzip, bytes, static_cast<unsigned>(size));
  check(!::gzdirect(gzip), name_, "expected gzip data; got something else. Hint: the name ends in .gz");
  int code = Z_OK;
  const char* text = ::gzerror(gzip, &code);
  check(got >= 0 && code == Z_OK, name_, "cannot unpack the gzip file: {}",
        code == Z_ERRNO ? system_error() : std::string(text));
  return static_cast<std::size_t>(got);
}

bool ByteSource::would_wait() const {
  pollfd input{.fd = descriptor_, .events = POLLIN, .revents = 0};
  return !gzip_ && ::poll(&input, 1, 0) == 0;
}

}  // namespace glossa
