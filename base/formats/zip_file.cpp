#include "base/formats/zip_file.h"

#include <zlib.h>

#include <algorithm>

#include "base/byte_reader.h"
#include "base/check.h"
#include "base/tensor_file.h"

namespace glossa {

namespace {

constexpr std::uint64_t end_size = 22, end64_size = 56, locator_size = 20, header_size = 30;
constexpr std::uint64_t max_comment = 65'535;
constexpr std::uint32_t in_64_bits = 0xFFFFFFFF;
constexpr std::size_t deflated_bytes = 64 << 10;

/// Reads `count` bytes; throws if the file does not have them.
std::string bytes_at(const FileCheck& require, std::ifstream& file, std::uint64_t at, std::uint64_t count) {
  std::string bytes(count, '\0');
  file.clear();
  file.seekg(static_cast<std::streamoff>(at));
  file.read(bytes.data(), static_cast<std::streamsize>(count));
  require(bool(file), "expected {} bytes at {}; got the end of the file", count, at);
  return bytes;
}

/// Position of an archive's directory.
struct Directory {
  std::uint64_t entries = 0, size = 0, begin = 0;
};

Directory find_directory(const FileCheck& require, std::ifstream& file, std::uint64_t file_size) {
  const std::uint64_t tail = std::min(file_size, end_size + max_comment), from = file_size - tail;
  const std::string bytes = bytes_at(require, file, from, tail);
  const std::size_t at = bytes.rfind("PK\x05\x06");
  require(at != bytes.npos && at + end_size <= bytes.size(),
          "expected the directory of a zip archive at the end; not found");
  ByteReader end(std::string_view(bytes).substr(at + 4));
  const bool one_part = end.take<std::uint32_t>() == 0;  // numbers of this part and of the directory's part, both 0
  end.take<std::uint16_t>();
  Directory directory{end.take<std::uint16_t>(), end.take<std::uint32_t>(), end.take<std::uint32_t>()};
  require(one_part, "expected a single-part archive; got one of several parts");
  if (from + at < locator_size) return directory;
  const std::string locator = bytes_at(require, file, from + at - locator_size, locator_size);
  if (!locator.starts_with("PK\x06\x07")) return directory;
  ByteReader where(std::string_view(locator).substr(8));
  const auto begin = where.take<std::uint64_t>();
  require(begin <= file_size && file_size - begin >= end64_size,
          "expected the end of the directory within the file; got a place outside");
  const std::string record = bytes_at(require, file, begin, end64_size);
  require(record.starts_with("PK\x06\x06"), "expected the end of the directory at byte {}; not found", begin);
  ByteReader end64(std::string_view(record).substr(32));
  directory.entries = end64.take<std::uint64_t>();
  directory.size = end64.take<std::uint64_t>();
  directory.begin = end64.take<std::uint64_t>();
  return directory;
}

/// Reads 64-bit values from an entry's extra field. A flag is true if the entry's own 32-bit field is too small.
/// Returns false if a value is missing.
bool read_extra(ByteReader extra, ZipEntry& entry, bool size, bool stored_size, bool header) {
  bool is_found = !size && !stored_size && !header;
  while (extra.is_ok() && extra.remaining() > 0) {
    const auto kind = extra.take<std::uint16_t>();
    ByteReader field(extra.text(extra.take<std::uint16_t>()));
    if (kind != 1) continue;
    if (size) entry.size = field.take<std::uint64_t>();
    if (stored_size) entry.stored_size = field.take<std::uint64_t>();
    if (header) entry.header = field.take<std::uint64_t>();
    is_found = field.is_ok();
  }
  return is_found;
}

ZipEntry read_entry(const FileCheck& require, ByteReader& fields) {
  ZipEntry entry;
  require(fields.text(4) == "PK\x01\x02", "expected an entry of the directory; not found");
  fields.take<std::uint32_t>();  // versions
  const auto flags = fields.take<std::uint16_t>(), method = fields.take<std::uint16_t>();
  fields.take<std::uint32_t>();  // time and date
  entry.crc = fields.take<std::uint32_t>();
  const auto stored_size = fields.take<std::uint32_t>(), size = fields.take<std::uint32_t>();
  const auto name = fields.take<std::uint16_t>(), extra = fields.take<std::uint16_t>(),
             comment = fields.take<std::uint16_t>();
  fields.text(8);  // part, attributes
  const auto header = fields.take<std::uint32_t>();
  entry.name = fields.text(name);
  entry.stored_size = stored_size;
  entry.size = size;
  entry.header = header;
  const bool has_extra = read_extra(ByteReader(fields.text(extra)), entry, size == in_64_bits,
                                    stored_size == in_64_bits, header == in_64_bits);
  fields.text(comment);
  require(has_extra && fields.is_ok(), "expected complete entries in the directory; got a truncated one");
  require(!entry.name.empty() && is_tensor_name(entry.name),
          "expected names of at most {} bytes without control characters in the directory; got another",
          max_tensor_name);
  entry.is_readable = (flags & 1) == 0 && (method == 0 || method == 8);
  entry.deflated = method == 8;
  require(entry.deflated || !entry.is_readable || entry.size == entry.stored_size,
          "expected '{}', stored uncompressed, to have one size; got {} and {}", entry.name, entry.size,
          entry.stored_size);
  require(!entry.is_readable || entry.size > 0 || entry.crc == 0, "expected '{}' to be empty; got the checksum {:08x}",
          entry.name, entry.crc);
  return entry;
}

/// Throws for overlapping entries and impossible sizes.
void check_sizes(const FileCheck& require, const std::map<std::string, ZipEntry>& entries, std::uint64_t directory,
                 std::uint64_t file_size, std::uint64_t growth) {
  std::vector<const ZipEntry*> ordered;
  std::uint64_t all = 0;
  const std::uint64_t max_bytes = growth * file_size + (8 << 20);
  for (const auto& [name, entry] : entries) {
    ordered.push_back(&entry);
    require(entry.size <= max_bytes && (all += entry.size) <= max_bytes,
            "expected entries of at most {} bytes in a file of {}; got more with '{}'", max_bytes, file_size, name);
  }
  std::ranges::sort(ordered, {}, &ZipEntry::header);
  std::uint64_t end = 0;
  for (const ZipEntry* entry : ordered) {
    require(entry->header >= end, "expected '{}' to follow the entry before it; got an overlap", entry->name);
    require(entry->header <= directory && directory - entry->header >= header_size &&
                directory - entry->header - header_size >= entry->stored_size,
            "expected '{}' to lie before the directory; got an overlap", entry->name);
    end = entry->header + header_size + entry->stored_size;
  }
}

}  // namespace

struct ZipStream::State {
  std::filesystem::path path;
  FileCheck require;
  ZipEntry entry;
  std::ifstream file;
  std::uint64_t stored_left = 0, left = 0;
  std::uint32_t crc = 0;
  std::vector<unsigned char> buffer{};
  z_stream inflater{};

  /// Reads the next stored bytes, without inflating them.
  void fetch(void* bytes, std::size_t count) {
    file.read(static_cast<char*>(bytes), static_cast<std::streamsize>(count));
    check(bool(file), path.string(), "cannot read {} bytes of '{}': the file ended or changed", entry.stored_size,
          entry.name);
    stored_left -= count;
  }

  void inflate_into(std::span<std::byte> bytes) {
    inflater.next_out = reinterpret_cast<Bytef*>(bytes.data());
    inflater.avail_out = static_cast<uInt>(bytes.size());
    while (inflater.avail_out > 0) {
      if (inflater.avail_in == 0) {
        const std::size_t count = std::min<std::uint64_t>(buffer.size(), stored_left);
        fetch(buffer.data(), count);
        inflater.next_in = buffer.data();
        inflater.avail_in = static_cast<uInt>(count);
      }
      const int status = inflate(&inflater, Z_NO_FLUSH);
      const bool ends = status == Z_STREAM_END && inflater.avail_out == 0;
      require(ends || status == Z_OK, "expected '{}' to be {} bytes, deflated; got other data", entry.name, entry.size);
    }
  }
};

ZipStream::ZipStream(std::unique_ptr<State> state) : state_(std::move(state)) {}
ZipStream::ZipStream(ZipStream&&) noexcept = default;
ZipStream::~ZipStream() {
  if (state_ && state_->entry.deflated) inflateEnd(&state_->inflater);
}

std::size_t ZipStream::read(std::span<std::byte> bytes) {
  State& s = *state_;
  bytes = bytes.first(std::min<std::uint64_t>(bytes.size(), s.left));
  if (bytes.empty()) return 0;
  if (s.entry.deflated)
    s.inflate_into(bytes);
  else
    s.fetch(bytes.data(), bytes.size());
  s.left -= bytes.size();
  s.crc = static_cast<std::uint32_t>(crc32_z(s.crc, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
  s.require(s.left > 0 || s.crc == s.entry.crc, "expected '{}' to have the checksum {:08x}; got {:08x}", s.entry.name,
            s.entry.crc, s.crc);
  return bytes.size();
}

ZipFile::ZipFile(std::filesystem::path path, std::uint64_t growth)
    : path_(std::move(path)), require_(path_.string(), "the file is damaged, or not a zip archive") {
  std::error_code code;
  const std::uint64_t file_size = std::filesystem::file_size(path_, code);
  check(!code, path_.string(), "cannot read the file: {}. Hint: check the path", code.message());
  std::ifstream file(path_, std::ios::binary);
  check(file.is_open(), path_.string(), "cannot open the file. Hint: check its permissions");
  const Directory directory = find_directory(require_, file, file_size);
  require_(directory.size <= max_table_bytes && directory.entries <= max_tensors,
           "expected a directory of at most {} entries and {} bytes; got {} and {}", max_tensors, max_table_bytes,
           directory.entries, directory.size);
  require_(directory.begin <= file_size && file_size - directory.begin >= directory.size,
           "expected the directory within the file; got a place outside");
  const std::string bytes = bytes_at(require_, file, directory.begin, directory.size);
  ByteReader fields(bytes);
  for (std::uint64_t i = 0; i < directory.entries; ++i) {
    ZipEntry entry = read_entry(require_, fields);
    const std::string name = entry.name;
    require_(entries_.emplace(name, std::move(entry)).second, "expected every entry once; got '{}' twice", name);
  }
  check_sizes(require_, entries_, directory.begin, file_size, growth);
}

ZipStream ZipFile::open(const ZipEntry& entry) const {
  check(entry.is_readable, path_.string(),
        "expected '{}' to be stored or deflated, not encrypted; got another form. Hint: unzip the archive", entry.name);
  auto state = std::make_unique<ZipStream::State>(ZipStream::State{
      .path = path_, .require = require_, .entry = entry, .file = std::ifstream(path_, std::ios::binary)});
  const std::string header = bytes_at(require_, state->file, entry.header, header_size);
  ByteReader fields(header);
  require_(fields.text(4) == zip_magic, "expected the header of '{}' at byte {}; not found", entry.name, entry.header);
  fields.text(22);  // fields that the directory repeats
  const auto name = fields.take<std::uint16_t>(), extra = fields.take<std::uint16_t>();
  state->file.seekg(name + extra, std::ios::cur);
  state->stored_left = entry.stored_size;
  state->left = entry.size;
  if (entry.deflated) {
    state->buffer.resize(std::min<std::uint64_t>(deflated_bytes, entry.stored_size));
    check(inflateInit2(&state->inflater, -MAX_WBITS) == Z_OK, path_.string(), "cannot inflate '{}': out of memory",
          entry.name);
  }
  return ZipStream(std::move(state));
}

std::string ZipFile::read(const std::string& name, std::uint64_t max_bytes) const {
  const auto found = entries_.find(name);
  require_(found != entries_.end(), "expected an entry '{}'; not found", name);
  require_(found->second.size <= max_bytes, "expected '{}' to hold at most {} bytes; got {}", name, max_bytes,
           found->second.size);
  std::string bytes(found->second.size, '\0');
  ZipStream stream = open(found->second);
  stream.read(std::as_writable_bytes(std::span(bytes)));
  return bytes;
}

}  // namespace glossa
