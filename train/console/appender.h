#pragma once

#include <filesystem>
#include <string_view>

namespace glossa {

/// A file that grows, piece by piece: each is in it when `write` returns.
class Appender {
 public:
  /// Makes the file unless it is there. Throws a failure that names it, as `write` does.
  explicit Appender(std::filesystem::path path);
  ~Appender();
  Appender(const Appender&) = delete;
  Appender& operator=(const Appender&) = delete;

  void write(std::string_view piece);

 private:
  std::filesystem::path path_;
  int descriptor_;
};

}  // namespace glossa
