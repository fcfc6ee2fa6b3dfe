#include "base/appender.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/check.h"

namespace glossa {

Appender::Appender(std::filesystem::path path)
    : path_(std::move(path)), file_(open(path_.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666)) {
  check(file_.number() >= 0, path_.string(), "cannot open the file for writing: {}", std::strerror(errno));
}

void Appender::write(std::string_view piece) {
  while (!piece.empty()) {
    const ssize_t written = ::write(file_.number(), piece.data(), piece.size());
    if (written < 0 && errno == EINTR) continue;
    check(written > 0, path_.string(), "cannot append {} bytes: {}", piece.size(), std::strerror(errno));
    piece.remove_prefix(static_cast<std::size_t>(written));
  }
}

}  // namespace glossa
