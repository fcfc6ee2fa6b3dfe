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

namespace glossa {

// Zip archives (PKWARE's APPNOTE 6.3), as torch.save and numpy.savez write them: in one part, not encrypted, entries
// stored or deflated, with sizes of 64 bits where needed.

/// What a zip file begins with.
inline constexpr std::string_view zip_magic = "PK\x03\x04";

/// An entry of an archive.
struct ZipEntry {
  std::string name;
  bool deflated = false;
  std::uint64_t stored_size = 0;  ///< in the file
  std::uint64_t size = 0;
  std::uint32_t crc = 0;     ///< CRC-32 of what it holds
  std::uint64_t header = 0;  ///< where its local header begins in the file
};

/// Reads what an entry holds, from its beginning on.
class ZipStream {
 public:
  ~ZipStream();
  ZipStream(ZipStream&&) noexcept;

  /// The next bytes, as many as `bytes` takes or are left; how many they were. Throws for damage; with the last bytes
  /// the checksum is looked at.
  std::size_t read(std::span<std::byte> bytes);

 private:
  friend class ZipFile;
  struct State;
  explicit ZipStream(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

/// An archive whose directory was checked: every entry once, none over another. What is deflated may come to twice the
/// file's length and 8 MiB, all together: weights hardly shrink, and a bomb is found before it is opened.
class ZipFile {
 public:
  explicit ZipFile(std::filesystem::path path);

  const std::filesystem::path& path() const { return path_; }

  /// By name.
  const std::map<std::string, ZipEntry>& entries() const { return entries_; }

  ZipStream open(const ZipEntry& entry) const;

  /// All of a small entry. Throws if there is none of that name or it holds more than `most` bytes.
  std::string read(const std::string& name, std::uint64_t most) const;

 private:
  std::filesystem::path path_;
  std::map<std::string, ZipEntry> entries_;
};

}  // namespace glossa
