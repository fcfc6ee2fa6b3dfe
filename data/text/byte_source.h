#pragma once

#include <cstddef>
#include <string>

namespace glossa {

/// Where the bytes of a text come from: a file, a pipe, or either packed by gzip.
class ByteSource {
 public:
  /// As many as are read at once without anybody noticing.
  static constexpr std::size_t usual_bytes = 1 << 16;

  /// Whether what ends in `.gz` is unpacked.
  enum class Packing { by_name, none };

  /// Opens a file. Errors name it: missing or unreadable, a directory.
  explicit ByteSource(const std::string& path, Packing packing = Packing::by_name);

  /// Reads from an open descriptor, which stays open; `name` stands for it in the errors.
  ByteSource(int descriptor, const std::string& name);

  ByteSource(const ByteSource&) = delete;
  ByteSource& operator=(const ByteSource&) = delete;
  ~ByteSource();

  /// At most `size` bytes, at least one but at the end. Errors: the file cannot be read on, its gzip data is damaged or
  /// cut short.
  std::size_t read(char* bytes, std::size_t size);

  /// Whether `read` would have to wait for someone to write.
  bool would_wait() const;

 private:
  std::size_t read_plain(char* bytes, std::size_t size);
  std::size_t read_packed(char* bytes, std::size_t size);

  std::string name_;
  int descriptor_;
  bool is_own_;
  void* gzip_ = nullptr;  // of zlib; has the descriptor
};

}  // namespace glossa
