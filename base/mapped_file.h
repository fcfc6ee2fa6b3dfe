#pragma once

#include <cstddef>
#include <filesystem>
#include <span>

namespace glossa {

/// The bytes of an open file, mapped for reading. Processes that map the same file share its memory. The bytes stay if
/// the file is replaced or removed. Do not map a file that may be truncated in place.
class MappedFile {
 public:
  /// Bytes that will be read: `all` of them, loaded at once, or scattered `parts`, loaded on access.
  enum class Reading { all, parts };

  /// Maps `size` bytes of the open file `descriptor`, which may be closed afterwards. Errors name `path`.
  MappedFile(int descriptor, std::size_t size, const std::filesystem::path& path, Reading reading = Reading::all);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  std::span<const std::byte> bytes() const { return bytes_; }

  /// Releases the memory of the bytes. They stay readable, even while other threads read them.
  void release() const;

 private:
  std::span<std::byte> bytes_;
};

}  // namespace glossa
