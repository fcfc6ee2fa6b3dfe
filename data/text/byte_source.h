#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "base/descriptor.h"

namespace glossa {

/// Source of a text's bytes: a file or a pipe, plain or gzipped.
class ByteSource {
 public:
  /// Usual number of bytes per read; a negligible amount of memory.
  static constexpr std::size_t usual_bytes = 1 << 16;

  /// Handling of files whose name ends in `.gz`: unpack them, or read them as they are.
  enum class Packing { by_name, none };

  /// Opens a file. Throws, naming the file, if it is missing, unreadable or a directory.
  explicit ByteSource(const std::string& path, Packing packing = Packing::by_name);

  /// Reads from an open descriptor and leaves it open. Errors call the descriptor `name`.
  ByteSource(int descriptor, const std::string& name);

  ByteSource(const ByteSource&) = delete;
  ByteSource& operator=(const ByteSource&) = delete;
  ~ByteSource();

  /// Reads 1 to `size` bytes and returns their number; returns 0 only at the end. Throws if the file cannot be read, or
  /// if its gzip data is damaged, truncated or followed by other bytes.
  std::size_t read(char* bytes, std::size_t size);

  /// True if `read` would have to wait for a writer; always false for a file that is unpacked.
  bool would_wait() const;

 private:
  class Unpacker;

  std::size_t read_plain(char* bytes, std::size_t size);

  std::string name_;
  Descriptor file_;  // none if the descriptor is the caller's
  int descriptor_;
  std::unique_ptr<Unpacker> unpacker_;  // null unless the file is unpacked
};

}  // namespace glossa
