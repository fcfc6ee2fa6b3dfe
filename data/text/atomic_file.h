#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>

namespace glossa {

/// A file that appears whole under its name or not at all; of a symbolic link, under the name that it points to. Bytes
/// go to a temporary file in the same folder, which is synced, closed and only then renamed; whatever fails, the
/// previous file of that name stays and the temporary one is removed. A failed fsync is final: the kernel may have
/// dropped the bytes, so nothing is retried on that descriptor. Every failure is an Error that names the file, and the
/// bytes needed and free when the disk is full.
class AtomicFile {
 public:
  /// Creates the temporary file (permissions from the umask) and takes the space of `size` bytes from the disk, so that
  /// a full disk is found before anything is written.
  AtomicFile(std::filesystem::path target, std::uint64_t size);

  /// Removes the temporary file unless it was committed.
  ~AtomicFile();

  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  /// Appends bytes; together they must be exactly `size`.
  void write(std::span<const std::byte> bytes);

  /// Makes the file durable under its name. `verify`, where given, reads the finished temporary file back; if it
  /// throws, the file is not renamed.
  void commit(const std::function<void(const std::filesystem::path&)>& verify = {});

 private:
  void require(bool ok, std::string_view action) const;

  std::filesystem::path target_, temporary_;
  std::uint64_t size_, written_ = 0;
  int descriptor_ = -1;
};

/// Writes a small text file by the same protocol.
void write_file_atomically(const std::filesystem::path& target, std::string_view text);

/// Makes `link` a symbolic link to `name` (relative to the folder of the link) in one step: there is never no link.
void replace_link(const std::filesystem::path& link, const std::string& name);

/// Makes a folder, and those above it that are missing. Its entry in the one above is durable then, where that may be
/// read, even if it was there before: whoever made it may have been killed in between.
void create_folder(const std::filesystem::path& folder);

/// Makes the entries of a folder durable: creations, renames and removals.
void sync_folder(const std::filesystem::path& folder);

/// Whether a file name is one that AtomicFile or replace_link gives to its temporary files.
bool is_temporary_name(std::string_view name);

}  // namespace glossa
