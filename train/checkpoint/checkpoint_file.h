#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "base/descriptor.h"
#include "base/mapped_file.h"

namespace glossa {

/// A checkpoint is one immutable file of named arrays. All numbers are little-endian. Each line below has an offset, a
/// length in bytes, and the contents; negative offsets count from the end.
///
///     0   8  magic 0x89 "GLS" CR LF Ctrl-Z LF      shows damage by a transfer in text mode
///     8   4  format version, major << 16 | minor
///    12   4  0x01020304: the order of bytes
///    16   8  length of the file
///    24   8  length of the table
///    32   4  number of entries
///    36   4  CRC32C of the bytes above
///    40      table: for each entry, sorted by name,
///                1 kind, 1 dtype, 1 rank, 1 length of the name, 4 CRC32C of the bytes, 8 offset, 8 length,
///                8 for each dimension, the name
///         4  CRC32C of the table
///            the bytes of each entry, in the table's order; each begins at a multiple of 64, after zeros
///    -24  16  XXH3-128 (canonical form) of everything above; begins at a multiple of 64, after zeros
///     -8   8  end marker
///
/// The checksums detect accidents, not attacks. Readers therefore also check the structure: they compare each length
/// with the file's size before use, and their memory stays near that size.

/// Purpose of an entry. The enumerators' values are part of the format.
enum class EntryKind : std::uint8_t { parameter = 1, moment = 2, state = 3, buffer = 4 };

/// Element type of an entry. The enumerators' values are part of the format.
enum class Dtype : std::uint8_t { f32 = 1, f64 = 2, i64 = 3, u8 = 4, i8 = 5 };

/// Returns the size of one element in bytes.
std::size_t size_of(Dtype dtype);

/// Return readable names, such as "parameter" and "f32".
std::string_view name_of(EntryKind kind);
std::string_view name_of(Dtype dtype);

/// A row of the table.
struct CheckpointEntry {
  std::string name;  ///< 1 to 255 bytes of UTF-8 without control characters, slashes or backslashes
  EntryKind kind{};
  Dtype dtype{};
  std::vector<std::uint64_t> dims;  ///< at most 8 extents; empty for a scalar
  std::uint64_t offset = 0;         ///< offset of the entry's bytes in the file
  std::uint64_t length = 0;         ///< length in bytes: the product of `dims`, times the element size
  std::uint32_t crc = 0;            ///< CRC32C of the entry's bytes
};

/// Collects arrays and writes them as a checkpoint. It refers to the caller's arrays, which must stay unchanged until
/// they are written. Only `add_owned` stores its argument.
class CheckpointWriter {
 public:
  /// Returns an array's bytes. Each call must return equal bytes. They need to be valid only until the next call of any
  /// Source.
  using Source = std::function<std::span<const std::byte>()>;

  /// Adds an array, row-major. Throws if the name is not allowed (see CheckpointEntry) or is repeated. Also throws if
  /// there are more than 8 dimensions, or if `bytes` does not match `dims`.
  void add(std::string name, EntryKind kind, Dtype dtype, std::vector<std::uint64_t> dims,
           std::span<const std::byte> bytes);

  /// Adds an array by its source, which is called immediately and again when the file is written. The bytes need not
  /// exist in between.
  void add_from(std::string name, EntryKind kind, Dtype dtype, std::vector<std::uint64_t> dims, Source source);

  /// Adds bytes; the writer keeps them.
  void add_owned(std::string name, EntryKind kind, std::string bytes);

  /// Calls all sources, in the same order as `write` does. Processes that do not write a file call `give` instead of
  /// `write`. Their sources then send their data to the writing process.
  void give() const;

  /// Writes the file atomically (AtomicFile). A file below 64 MiB is read back and verified before it gets its name.
  /// The order in which arrays were added does not change the file's bytes.
  void write(const std::filesystem::path& path) const;

 private:
  struct Item {
    CheckpointEntry entry;
    Source bytes;
  };
  std::vector<Item> items_;  // sorted by name
};

/// A verified checkpoint.
class CheckpointReader {
 public:
  /// Opens a file and verifies all of it: the structure, every checksum, and the overall hash. Throws an Error that
  /// names the file and the fault. Needs memory for the table only.
  explicit CheckpointReader(const std::filesystem::path& path);

  const std::filesystem::path& path() const { return path_; }

  /// Returns all entries, sorted by name.
  const std::vector<CheckpointEntry>& entries() const { return entries_; }

  /// Returns the entry of that name, or null.
  const CheckpointEntry* find(std::string_view name) const;

  /// Reads an entry's bytes. Throws if the name is unknown or the bytes have changed since opening.
  std::vector<std::byte> read(std::string_view name) const;

  /// Reads an entry's bytes into `destination`. Also throws if `destination` does not have the entry's length. On any
  /// error, `destination` is unchanged.
  void read(std::string_view name, std::span<std::byte> destination) const;

  /// Maps the file. Each entry is at its offset in the mapping.
  std::shared_ptr<const MappedFile> map() const;

 private:
  void read_at(std::uint64_t offset, std::span<std::byte> destination) const;
  void read_table(std::uint64_t file_size);
  void verify_payload(std::uint64_t file_size) const;

  std::filesystem::path path_;
  FileCheck require_;
  Descriptor file_;
  std::uint64_t file_size_ = 0;
  std::vector<CheckpointEntry> entries_;
};

}  // namespace glossa
