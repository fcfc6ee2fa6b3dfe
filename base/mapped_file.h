#pragma once

#include <cstddef>
#include <filesystem>
#include <span>

namespace glossa {

/// The bytes of an open file, mapped for reading. Processes that map one file share its memory. The bytes stay if the
/// file is replaced or removed; a file that is cut short in place must not be mapped.
class MappedFile {
 public:
  /// Which bytes will be read: `all`, which are loaded at once, or parts here and there, loaded when they are read.
  enum class Reading { all, parts };

  /// Maps `size` bytes of the open file `descriptor`, which may be closed afterwards. `path` is for errors.
  MappedFile(int descriptor, std::size_t size, const std::filesystem::path& path, Reading reading = Reading::all);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  std::span<const std::byte> bytes() const { return bytes_; }

  /// Releases the memory of bytes that were read; they can be read again. Other threads may be reading.
  void release() const;

 private:
  std::span<std::byte> bytes_;
};

}  // namespace glossa
