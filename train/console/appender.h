#pragma once

#include <filesystem>
#include <string_view>

namespace glossa {

/// An append-only file; each piece is in the file when `write` returns.
class Appender {
 public:
  /// Opens the file, or creates it if missing. On error throws a failure that names the file, as `write` does.
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
