#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <utility>
#include <vector>

#include "base/descriptor.h"

namespace glossa {

/// A file that is written once, from front to back, through a buffer.
class WrittenFile {
 public:
  /// Creates a file; it must not exist yet.
  static WrittenFile create(const std::filesystem::path& path);

  /// Creates a file without a name in this folder. The system removes the file with its last descriptor, even if the
  /// process is killed.
  static WrittenFile nameless(const std::filesystem::path& folder);

  /// Appends bytes. Throws if the disk is full or fails.
  void write(std::span<const std::byte> bytes);
  template <class T>
  void write_items(std::span<const T> items) {
    write(std::as_bytes(items));
  }

  /// Writes the buffered bytes; if `durable`, also makes the file durable. No writing is allowed afterwards.
  void finish(bool durable);

  std::uint64_t size() const { return size_; }
  std::uint32_t checksum() const { return checksum_; }  // CRC-32C of all bytes
  const Descriptor& descriptor() const { return file_; }
  const std::filesystem::path& path() const { return path_; }  // the file's path; its folder if the file is nameless

 private:
  WrittenFile(Descriptor file, std::filesystem::path path) : file_(std::move(file)), path_(std::move(path)) {}

  void flush();

  Descriptor file_;
  std::filesystem::path path_;
  std::vector<std::byte> buffer_;
  std::uint64_t size_ = 0;
  std::uint32_t checksum_ = 0;
};

}  // namespace glossa
