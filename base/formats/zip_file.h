#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"

namespace glossa {

// Zip archives (PKWARE's APPNOTE 6.3) such as those of torch.save, of numpy.savez and of published corpora. They have
// one part and are not encrypted. Entries are stored or deflated, with 64-bit sizes if needed.

/// Start of a zip file.
inline constexpr std::string_view zip_magic = "PK\x03\x04";

/// An entry of an archive.
struct ZipEntry {
  std::string name;
  bool deflated = false;
  bool is_readable = true;        ///< false if encrypted or compressed in another way; `open` then throws
  std::uint64_t stored_size = 0;  ///< size of the stored (perhaps compressed) bytes
  std::uint64_t size = 0;
  std::uint32_t crc = 0;     ///< CRC-32 of the content
  std::uint64_t header = 0;  ///< position of the entry's local header in the file
};

/// Reads an entry's content from start to end.
class ZipStream {
 public:
  ~ZipStream();
  ZipStream(ZipStream&&) noexcept;

  /// Fills `bytes` with the next bytes of the content, or only its front if fewer are left. Returns the number of bytes
  /// read. Throws if the entry is damaged; the last read verifies the checksum.
  std::size_t read(std::span<std::byte> bytes);

 private:
  friend class ZipFile;
  struct State;
  explicit ZipStream(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

/// An archive with a verified directory: entries do not overlap, and each name occurs once. All entries together may
/// inflate to at most `growth` times the file's length plus 8 MiB. Zip bombs are therefore refused before anything is
/// inflated. Weights need a growth below 2, because deflating hardly shrinks them. The directory's own limits are in
/// tensor_file.h.
class ZipFile {
 public:
  static constexpr std::uint64_t any_growth = 1100;  // deflating shrinks by a factor of at most 1032

  explicit ZipFile(std::filesystem::path path, std::uint64_t growth = 2);

  const std::filesystem::path& path() const { return path_; }

  /// Entries by name.
  const std::map<std::string, ZipEntry>& entries() const { return entries_; }

  ZipStream open(const ZipEntry& entry) const;

  /// Reads all of a small entry. Throws if the entry does not exist or exceeds `max_bytes`.
  std::string read(const std::string& name, std::uint64_t max_bytes) const;

 private:
  std::filesystem::path path_;
  FileCheck require_;
  std::map<std::string, ZipEntry> entries_;
};

}  // namespace glossa
