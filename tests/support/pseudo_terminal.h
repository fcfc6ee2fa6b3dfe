#pragma once

#include <fcntl.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

namespace glossa::testing {

/// A terminal that records its output, so that writers do not wait for a reader. Sets the environment for a usual
/// terminal.
class PseudoTerminal {
 public:
  explicit PseudoTerminal(unsigned short columns) : master_(posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC)) {
    setenv("TERM", "xterm", 1);
    unsetenv("NO_COLOR");
    if (master_ < 0 || grantpt(master_) != 0 || unlockpt(master_) != 0) return;
    file_ = fopen(ptsname(master_), "we");
    if (file_ == nullptr) return;
    termios settings{};
    tcgetattr(descriptor(), &settings);
    settings.c_oflag &= ~static_cast<tcflag_t>(OPOST);  // keeps line ends as written
    tcsetattr(descriptor(), TCSANOW, &settings);
    const winsize size{.ws_row = 24, .ws_col = columns, .ws_xpixel = 0, .ws_ypixel = 0};
    ioctl(descriptor(), TIOCSWINSZ, &size);
    reader_ = std::thread([this] {
      char buffer[4096];
      // Reading fails once the last writer has closed the terminal.
      for (ssize_t count; (count = read(master_, buffer, sizeof buffer)) > 0;) {
        const std::scoped_lock lock(mutex_);
        text_.append(buffer, static_cast<std::size_t>(count));
        changed_.notify_all();
      }
    });
  }
  ~PseudoTerminal() {
    text();
    if (master_ >= 0) close(master_);
  }
  PseudoTerminal(const PseudoTerminal&) = delete;
  PseudoTerminal& operator=(const PseudoTerminal&) = delete;

  /// False if the machine cannot create a pseudoterminal.
  bool is_there() const { return file_ != nullptr; }

  std::FILE* file() const { return file_; }
  int descriptor() const { return fileno(file_); }

  /// Waits until the output contains `part`.
  void wait_for(const std::string& part) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return text_.find(part) != text_.npos; });
  }

  /// Closes the terminal, waits until other writers have closed it too, and returns all output.
  const std::string& text() {
    if (file_ != nullptr) std::fclose(std::exchange(file_, nullptr));
    if (reader_.joinable()) reader_.join();
    return text_;
  }

 private:
  int master_;
  std::FILE* file_ = nullptr;
  std::string text_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::thread reader_;
};

}  // namespace glossa::testing
