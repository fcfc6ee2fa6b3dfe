#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>

namespace glossa {

/// A file that appears complete or not at all. If the path is a symbolic link, its target is replaced. Bytes go to a
/// temporary file in the same folder. `commit` syncs and closes the temporary file, and then renames it to its final
/// name. On any failure, the previous file stays and the temporary file is removed. A failed fsync is not retried,
/// because the kernel may already have dropped the bytes. Every failure throws an Error that names the file and, if the
/// disk is full, the bytes needed and available.
class AtomicFile {
 public:
  /// Creates the temporary file (permissions from the umask) and reserves `size` bytes on disk. A full disk is
  /// therefore detected before anything is written.
  AtomicFile(std::filesystem::path target, std::uint64_t size);

  /// Removes the temporary file unless it was committed.
  ~AtomicFile();

  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  /// Appends bytes; the total must be exactly `size`.
  void write(std::span<const std::byte> bytes);

  /// Makes the file durable under its name. `verify`, if set, is first called with the path of the finished temporary
  /// file, to read it back. If `verify` throws, the previous file stays.
  void commit(const std::function<void(const std::filesystem::path&)>& verify = {});

 private:
  void require(bool ok, std::string_view action) const;

  std::filesystem::path target_, temporary_;
  std::uint64_t size_, written_ = 0;
  int descriptor_ = -1;
};

/// Writes a text file that appears complete or not at all, as with AtomicFile.
void write_file_atomically(const std::filesystem::path& target, std::string_view text);

/// Makes `link` a symbolic link to `name`, which is relative to the link's folder. An existing link is replaced
/// atomically and is never missing.
void replace_link(const std::filesystem::path& link, const std::string& name);

/// Creates a folder and its missing parents. Syncs the folder's entry in its parent if the parent is readable. An
/// existing folder's entry is synced as well: its creator may have been killed before syncing.
void create_folder(const std::filesystem::path& folder);

/// Makes a folder that appears complete or not at all: calls `write` with a new folder `temporary`, which then becomes
/// `folder`. If `write` throws, removes the temporary folder.
void write_folder_atomically(const std::filesystem::path& folder, const std::filesystem::path& temporary,
                             const std::function<void(const std::filesystem::path&)>& write);

/// Makes earlier creations, renames and removals in a folder durable.
void sync_folder(const std::filesystem::path& folder);

/// True for names that AtomicFile and replace_link use for temporary files.
bool is_temporary_name(std::string_view name);

}  // namespace glossa
