#pragma once

#include <filesystem>
#include <string_view>

namespace glossa {

/// An append-only file: each piece is in it when `write` returns.
class Appender {
 public:
  /// Creates the file if missing. Throws a failure that names it, as does `write`.
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
