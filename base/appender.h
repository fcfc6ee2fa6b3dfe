#pragma once

#include <filesystem>
#include <string_view>

#include "base/descriptor.h"

namespace glossa {

/// An append-only file; each piece is in the file when `write` returns.
class Appender {
 public:
  /// Opens the file, or creates it if missing. Like `write`, throws a failure that names the file on error.
  explicit Appender(std::filesystem::path path);

  void write(std::string_view piece);

 private:
  std::filesystem::path path_;
  Descriptor file_;
};

}  // namespace glossa
