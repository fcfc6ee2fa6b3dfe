#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>

namespace glossa {

/// A file that appears complete or not at all; a symbolic link is followed to its target. Bytes go to a temporary file
/// in the same folder, which is synced, closed and only then renamed; on any failure the previous file stays and the
/// temporary one is removed. A failed fsync is final: the kernel may have dropped the bytes, so nothing is retried on
/// that descriptor. Every failure throws an Error that names the file and, if the disk is full, the numbers of bytes
/// needed and available.
class AtomicFile {
 public:
  /// Creates the temporary file (permissions from the umask) and reserves `size` bytes on disk, so that a full disk is
  /// detected before anything is written.
  AtomicFile(std::filesystem::path target, std::uint64_t size);

  /// Removes the temporary file unless it was committed.
  ~AtomicFile();

  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  /// Appends bytes; the total must be exactly `size`.
  void write(std::span<const std::byte> bytes);

  /// Makes the file durable under its name. `verify`, if set, reads back the finished temporary file; if it throws, the
  /// file is not renamed.
  void commit(const std::function<void(const std::filesystem::path&)>& verify = {});

 private:
  void require(bool ok, std::string_view action) const;

  std::filesystem::path target_, temporary_;
  std::uint64_t size_, written_ = 0;
  int descriptor_ = -1;
};

/// Writes a small text file as AtomicFile does.
void write_file_atomically(const std::filesystem::path& target, std::string_view text);

/// Makes `link` a symbolic link to `name` (relative to the link's folder) atomically: an existing link is never missing
/// in between.
void replace_link(const std::filesystem::path& link, const std::string& name);

/// Creates a folder and its missing parents. Syncs the folder's entry in its parent, if the parent is readable. The
/// entry of an existing folder is synced as well, because the process that created it may have been killed before
/// syncing.
void create_folder(const std::filesystem::path& folder);

/// Makes a folder's entries durable: creations, renames and removals.
void sync_folder(const std::filesystem::path& folder);

/// True for names that AtomicFile and replace_link use for temporary files.
bool is_temporary_name(std::string_view name);

}  // namespace glossa
