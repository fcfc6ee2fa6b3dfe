#include "train/checkpoint/checkpoint_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstring>
#include <memory>
#include <utility>

#include "base/atomic_file.h"
#include "base/byte_reader.h"
#include "base/check.h"
#include "base/code_point.h"
#include "base/crc32c.h"
#include "base/tensor_file.h"

namespace glossa {
namespace {

constexpr std::string_view magic = "\x89GLS\r\n\x1A\n";
constexpr std::string_view end_marker = "GLS-END\n";
constexpr std::uint32_t version_major = 1, version_minor = 0;
constexpr std::uint32_t byte_order = 0x01020304, swapped_byte_order = 0x04030201;
constexpr std::uint64_t header_bytes = 40, entry_bytes = 24, trailer_bytes = 24, alignment = 64;
constexpr std::uint64_t max_name = 255;  // the table stores its length in one byte
constexpr std::uint64_t chunk_bytes = 1 << 20, verify_below = 64 << 20;

std::uint64_t aligned(std::uint64_t offset) { return (offset + alignment - 1) / alignment * alignment; }

/// True if a name is safe to print and is not a path.
bool is_plain(std::string_view name) {
  return !name.empty() && name.size() <= max_name && is_tensor_name(name) && utf8::find_invalid(name) == name.npos &&
         name.find_first_of("/\\") == name.npos;
}

/// A running XXH3-128.
class FileHash {
 public:
  FileHash() {
    if (!state_) throw std::bad_alloc();
    XXH3_128bits_reset(state_.get());
  }

  void update(std::span<const std::byte> bytes) { XXH3_128bits_update(state_.get(), bytes.data(), bytes.size()); }

  std::array<std::byte, 16> digest() const {
    XXH128_canonical_t canonical;
    XXH128_canonicalFromHash(&canonical, XXH3_128bits_digest(state_.get()));
    return std::bit_cast<std::array<std::byte, 16>>(canonical);
  }

 private:
  std::unique_ptr<XXH3_state_t, decltype(&XXH3_freeState)> state_{XXH3_createState(), &XXH3_freeState};
};

CheckpointEntry parse_entry(ByteReader& table, const FileCheck& require) {
  CheckpointEntry entry;
  const auto kind = table.take<std::uint8_t>(), dtype = table.take<std::uint8_t>();
  const auto rank = table.take<std::uint8_t>(), name_length = table.take<std::uint8_t>();
  entry.crc = table.take<std::uint32_t>();
  entry.offset = table.take<std::uint64_t>();
  entry.length = table.take<std::uint64_t>();
  require(rank <= max_dims, "expected at most {} dimensions; got {}", max_dims, rank);
  for (int i = 0; i < rank; ++i) entry.dims.push_back(table.take<std::uint64_t>());
  entry.name = table.text(name_length);
  require(table.is_ok(), "expected {} more bytes of the table; got {}", table.missing(), table.remaining());
  require(is_plain(entry.name), "expected a plain name; got {} other bytes", name_length);
  require(kind >= 1 && kind <= 4, "expected a known kind for '{}'; got {}", entry.name, kind);
  require(dtype >= 1 && dtype <= 5, "expected a known dtype for '{}'; got {}", entry.name, dtype);
  entry.kind = EntryKind{kind};
  entry.dtype = Dtype{dtype};
  const auto length = byte_length(size_of(entry.dtype), entry.dims);
  require(length && *length == entry.length, "expected '{}' to have the length of its dims; got {} bytes", entry.name,
          entry.length);
  return entry;
}

void check_header(std::string_view header, std::uint64_t file_size, const FileCheck& require) {
  ByteReader fields(header.substr(magic.size()));
  const auto version = fields.take<std::uint32_t>(), order = fields.take<std::uint32_t>();
  require(order != swapped_byte_order, "expected a little-endian file; got a byte-swapped one");
  const auto length = fields.take<std::uint64_t>();
  fields.text(12);
  const auto crc = fields.take<std::uint32_t>();
  const std::uint32_t actual = crc32c(std::as_bytes(std::span(header.substr(0, header_bytes - 4))));
  require(crc == actual, "expected CRC32C {:08x} of the header; got {:08x}", crc, actual);
  require(order == byte_order, "expected byte order {:08x}; got {:08x}", byte_order, order);
  require(
      version >> 16 == version_major && (version & 0xFFFF) <= version_minor,
      "expected checkpoint format {}.{}, or an older minor version; got {}.{}. Hint: use the version of glossa that "
      "wrote it",
      version_major, version_minor, version >> 16, version & 0xFFFF);
  require(length == file_size, "expected {} bytes, as in the header; got {}", length, file_size);
}

}  // namespace

std::size_t size_of(Dtype dtype) {
  constexpr std::array<std::size_t, 6> sizes{0, 4, 8, 8, 1, 1};
  return sizes.at(static_cast<std::size_t>(dtype));
}

std::string_view name_of(EntryKind kind) {
  constexpr std::array<std::string_view, 5> names{"", "parameter", "moment", "state", "buffer"};
  return names.at(static_cast<std::size_t>(kind));
}

std::string_view name_of(Dtype dtype) {
  constexpr std::array<std::string_view, 6> names{"", "f32", "f64", "i64", "u8", "i8"};
  return names.at(static_cast<std::size_t>(dtype));
}

void CheckpointWriter::add(std::string name, EntryKind kind, Dtype dtype, std::vector<std::uint64_t> dims,
                           std::span<const std::byte> bytes) {
  add_from(std::move(name), kind, dtype, std::move(dims), [bytes] { return bytes; });
}

void CheckpointWriter::add_from(std::string name, EntryKind kind, Dtype dtype, std::vector<std::uint64_t> dims,
                                Source source) {
  const std::span<const std::byte> bytes = source();
  check(is_plain(name), name, "expected a name of 1 to {} bytes without control characters and slashes; got {} bytes",
        max_name, name.size());
  check(dims.size() <= max_dims, name, "expected at most {} dimensions; got {}", max_dims, dims.size());
  check(items_.size() < max_tensors, name, "expected at most {} entries; got one more", max_tensors);
  const auto length = byte_length(size_of(dtype), dims);
  check(length && *length == bytes.size(), name, "expected as many bytes as its dims need; got {}", bytes.size());
  const auto at = std::ranges::lower_bound(
      items_, name, {}, [](const Item& item) -> auto& { return item.entry.name; });
  check(at == items_.end() || at->entry.name != name, name, "expected each name once; got it twice");
  items_.insert(at,
                {{std::move(name), kind, dtype, std::move(dims), 0, bytes.size(), crc32c(bytes)}, std::move(source)});
}

void CheckpointWriter::add_owned(std::string name, EntryKind kind, std::string bytes) {
  const auto owned = std::make_shared<const std::string>(std::move(bytes));
  add_from(std::move(name), kind, Dtype::u8, {owned->size()}, [owned] { return std::as_bytes(std::span(*owned)); });
}

void CheckpointWriter::give() const {
  for (const Item& item : items_) item.bytes();
}

void CheckpointWriter::write(const std::filesystem::path& path) const {
  std::uint64_t table_bytes = 0;
  for (const auto& [entry, bytes] : items_) table_bytes += entry_bytes + 8 * entry.dims.size() + entry.name.size();
  check(table_bytes <= max_table_bytes, path.string(), "expected a table of at most {} bytes; got {}", max_table_bytes,
        table_bytes);

  std::string table;
  std::uint64_t end = header_bytes + table_bytes + 4;
  for (const auto& [entry, bytes] : items_) {
    append_numbers<std::uint8_t>(table, entry.kind, entry.dtype, entry.dims.size(), entry.name.size());
    append_number(table, entry.crc);
    append_numbers<std::uint64_t>(table, aligned(end), entry.length);
    for (const std::uint64_t dim : entry.dims) append_number(table, dim);
    table += entry.name;
    end = aligned(end) + entry.length;
  }
  const std::uint64_t file_size = aligned(end) + trailer_bytes;

  std::string front(magic);
  append_numbers<std::uint32_t>(front, version_major << 16 | version_minor, byte_order);
  append_numbers<std::uint64_t>(front, file_size, table_bytes);
  append_numbers<std::uint32_t>(front, items_.size());
  append_number(front, crc32c(std::as_bytes(std::span(front))));
  front += table;
  append_number(front, crc32c(std::as_bytes(std::span(table))));

  AtomicFile file(path, file_size);
  FileHash hash;
  std::uint64_t position = 0;
  const auto append = [&](std::span<const std::byte> bytes) {
    constexpr std::array<std::byte, alignment> zeros{};
    for (const auto piece :
         {bytes, std::span(zeros).first(aligned(position + bytes.size()) - position - bytes.size())}) {
      hash.update(piece);
      file.write(piece);
      position += piece.size();
    }
  };
  append(std::as_bytes(std::span(front)));
  for (const auto& [entry, bytes] : items_) append(bytes());
  file.write(hash.digest());
  file.write(std::as_bytes(std::span(end_marker)));
  file.commit([&](const std::filesystem::path& written) {
    if (file_size < verify_below) CheckpointReader verified(written);
  });
}

CheckpointReader::CheckpointReader(const std::filesystem::path& path)
    : path_(path), require_(path.string(), "the file is damaged; restore it, or use another checkpoint of the run") {
  // With O_NONBLOCK, opening a pipe of that name does not block. The check below refuses pipes.
  do {
    file_ = Descriptor(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  } while (file_.number() == -1 && errno == EINTR);
  check(file_.number() != -1, path_.string(),
        "cannot open the checkpoint: {}. Hint: name one, such as RUN/checkpoints/last", std::strerror(errno));
  struct stat status {};
  check(fstat(file_.number(), &status) == 0, path_.string(), "cannot read its size: {}", std::strerror(errno));
  require_(S_ISREG(status.st_mode),
           "expected a checkpoint; got something that is not a regular file. Hint: name one, such as "
           "RUN/checkpoints/last");
  const auto file_size = static_cast<std::uint64_t>(status.st_size);
  read_table(file_size);
  verify_payload(file_size);
  file_size_ = file_size;
}

std::shared_ptr<const MappedFile> CheckpointReader::map() const {
  return std::make_shared<MappedFile>(file_.number(), file_size_, path_);
}

void CheckpointReader::read_at(std::uint64_t offset, std::span<std::byte> destination) const {
  while (!destination.empty()) {
    const ssize_t count = pread(file_.number(), destination.data(), destination.size(), static_cast<off_t>(offset));
    if (count == -1 && errno == EINTR) continue;
    check(count > 0, path_.string(), "cannot read {} bytes at {}: {}", destination.size(), offset,
          count == 0 ? "end of file" : std::strerror(errno));
    offset += static_cast<std::uint64_t>(count);
    destination = destination.subspan(static_cast<std::size_t>(count));
  }
}

void CheckpointReader::read_table(std::uint64_t file_size) {
  constexpr std::uint64_t smallest = header_bytes + 4 + trailer_bytes;
  std::string start(std::min<std::uint64_t>(file_size, magic.size()), '\0');
  read_at(0, std::as_writable_bytes(std::span(start)));
  require_(magic.starts_with(start),
           "expected a glossa checkpoint; got another kind of file. Hint: name one, such as RUN/checkpoints/last");
  require_(file_size >= smallest, "expected a checkpoint of at least {} bytes; got {}", smallest, file_size);
  std::string header(header_bytes, '\0');
  read_at(0, std::as_writable_bytes(std::span(header)));
  check_header(header, file_size, require_);

  ByteReader lengths(std::string_view(header).substr(24));
  const auto table_bytes = lengths.take<std::uint64_t>();
  const auto count = lengths.take<std::uint32_t>();
  require_(table_bytes <= max_table_bytes && table_bytes <= file_size - smallest,
           "expected a table of at most {} bytes that fits in the file; got {}", max_table_bytes, table_bytes);
  require_(count <= max_tensors && count * entry_bytes <= table_bytes,
           "expected at most {} entries that fit in the table; got {}", max_tensors, count);

  std::string bytes(table_bytes + 4, '\0');
  read_at(header_bytes, std::as_writable_bytes(std::span(bytes)));
  const std::string_view table_view = std::string_view(bytes).substr(0, table_bytes);
  const auto crc = ByteReader(std::string_view(bytes).substr(table_bytes)).take<std::uint32_t>();
  const std::uint32_t actual = crc32c(std::as_bytes(std::span(table_view)));
  require_(crc == actual, "expected CRC32C {:08x} of the table; got {:08x}", crc, actual);

  ByteReader table(table_view);
  std::uint64_t end = header_bytes + table_bytes + 4;
  for (std::uint32_t i = 0; i < count; ++i) {
    CheckpointEntry entry = parse_entry(table, require_);
    require_(entries_.empty() || entries_.back().name < entry.name,
             "expected names in order, each once; got '{}' after '{}'", entry.name,
             entries_.empty() ? "" : entries_.back().name);
    require_(entry.offset == aligned(end), "expected '{}' at {}, the next multiple of {}; got {}", entry.name,
             aligned(end), alignment, entry.offset);
    require_(entry.offset <= file_size && entry.length <= file_size - entry.offset,
             "expected '{}' to end within the {} bytes of the file; got {} bytes at {}", entry.name, file_size,
             entry.length, entry.offset);
    end = entry.offset + entry.length;
    entries_.push_back(std::move(entry));
  }
  require_(table.remaining() == 0, "expected the end of the table after {} entries; got {} more bytes", count,
           table.remaining());
  require_(aligned(end) + trailer_bytes == file_size, "expected {} bytes, as in the table; got {}",
           aligned(end) + trailer_bytes, file_size);
}

void CheckpointReader::verify_payload(std::uint64_t file_size) const {
  std::vector<std::byte> chunk(std::min(chunk_bytes, file_size));
  std::uint64_t position = 0;
  FileHash hash;
  // Reads and hashes the file up to `end` and passes each piece to `use`.
  const auto pass_to = [&](std::uint64_t end, auto use) {
    while (position < end) {
      const auto piece = std::span(chunk).first(std::min<std::uint64_t>(chunk.size(), end - position));
      read_at(position, piece);
      hash.update(piece);
      use(std::span<const std::byte>(piece));
      position += piece.size();
    }
  };
  const auto pass_padding = [&](std::uint64_t end) {
    pass_to(end, [&](std::span<const std::byte> piece) {
      require_(std::ranges::all_of(piece, [](std::byte b) { return b == std::byte{}; }),
               "expected zeros between entries; got other bytes before {}", end);
    });
  };

  std::uint64_t front = header_bytes + 4;
  for (const auto& entry : entries_) front += entry_bytes + 8 * entry.dims.size() + entry.name.size();
  pass_to(front, [](auto) {});
  for (const auto& entry : entries_) {
    pass_padding(entry.offset);
    std::uint32_t crc = 0;
    pass_to(entry.offset + entry.length, [&](std::span<const std::byte> piece) { crc = crc32c(piece, crc); });
    require_(crc == entry.crc, "expected CRC32C {:08x} of '{}'; got {:08x}", entry.crc, entry.name, crc);
  }
  pass_padding(file_size - trailer_bytes);

  const auto digest = hash.digest();
  std::array<std::byte, trailer_bytes> trailer;
  read_at(position, trailer);
  require_(std::memcmp(trailer.data() + 16, end_marker.data(), end_marker.size()) == 0,
           "expected the end marker; got other bytes");
  require_(std::equal(digest.begin(), digest.end(), trailer.begin()),
           "expected the hash of the whole file at its end; got another");
}

const CheckpointEntry* CheckpointReader::find(std::string_view name) const {
  const auto at = std::ranges::lower_bound(entries_, name, {}, &CheckpointEntry::name);
  return at != entries_.end() && at->name == name ? &*at : nullptr;
}

std::vector<std::byte> CheckpointReader::read(std::string_view name) const {
  const CheckpointEntry* entry = find(name);
  check(entry != nullptr, path_.string(), "expected an entry '{}'; not found", name);
  std::vector<std::byte> bytes(entry->length);
  read_at(entry->offset, bytes);
  require_(crc32c(bytes) == entry->crc, "expected the verified bytes of '{}'; got others", name);
  return bytes;
}

void CheckpointReader::read(std::string_view name, std::span<std::byte> destination) const {
  const std::vector<std::byte> bytes = read(name);
  check(bytes.size() == destination.size(), path_.string(), "expected {} bytes for '{}'; got {}", destination.size(),
        name, bytes.size());
  std::ranges::copy(bytes, destination.begin());
}

}  // namespace glossa
