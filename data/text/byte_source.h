#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "base/descriptor.h"

namespace glossa {

class Unpacker;
class ZipStream;

/// Reads a text's bytes from a file, a pipe or a member of a zip archive (see stored_text.h), plain or packed.
class ByteSource {
 public:
  /// Usual number of bytes per read; a negligible amount of memory.
  static constexpr std::size_t usual_bytes = 1 << 16;

  /// Handling of files with names that end in `.gz` or `.zst`: unpack them, or read them unchanged.
  enum class Packing { by_name, none };

  /// Opens a file. Throws, naming the file, if it is missing, unreadable or a directory.
  explicit ByteSource(const std::string& path, Packing packing = Packing::by_name);

  /// Reads from an open descriptor and leaves it open. Errors refer to it as `name`.
  ByteSource(int descriptor, const std::string& name);

  ByteSource(const ByteSource&) = delete;
  ByteSource& operator=(const ByteSource&) = delete;
  ~ByteSource();

  /// Reads 1 to `size` bytes and returns their number; returns 0 only at the end. Throws if the file cannot be read.
  /// Also throws if its packed data is damaged, truncated or followed by other bytes.
  std::size_t read(char* bytes, std::size_t size);

  /// True if `read` would have to wait for a writer; always false for packed texts and for members of an archive.
  bool would_wait() const;

 private:
  std::size_t read_plain(char* bytes, std::size_t size);

  std::string name_;
  std::unique_ptr<ZipStream> member_;  // null unless the path names a member of an archive
  Descriptor file_;                    // empty for a member, or if the caller owns the descriptor
  int descriptor_ = -1;
  std::unique_ptr<Unpacker> unpacker_;  // null unless the file is packed
};

}  // namespace glossa
