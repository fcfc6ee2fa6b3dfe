#pragma once

#include <cstddef>
#include <string>

namespace glossa {

/// Source of a text's bytes: a file or a pipe, plain or gzipped.
class ByteSource {
 public:
  /// A read size small enough to go unnoticed.
  static constexpr std::size_t usual_bytes = 1 << 16;

  /// Unpacking of names in `.gz`.
  enum class Packing { by_name, none };

  /// Opens a file. Errors name it: missing or unreadable, a directory.
  explicit ByteSource(const std::string& path, Packing packing = Packing::by_name);

  /// Reads from an open descriptor, which stays open; errors call it `name`.
  ByteSource(int descriptor, const std::string& name);

  ByteSource(const ByteSource&) = delete;
  ByteSource& operator=(const ByteSource&) = delete;
  ~ByteSource();

  /// Reads 1 to `size` bytes, 0 only at the end. Errors: the file cannot be read; its gzip data is damaged or
  /// truncated.
  std::size_t read(char* bytes, std::size_t size);

  /// True if `read` would have to wait for a writer.
  bool would_wait() const;

 private:
  std::size_t read_plain(char* bytes, std::size_t size);
  std::size_t read_packed(char* bytes, std::size_t size);

  std::string name_;
  int descriptor_;
  bool is_own_;
  void* gzip_ = nullptr;  // of zlib; owns the descriptor
};

}  // namespace glossa
