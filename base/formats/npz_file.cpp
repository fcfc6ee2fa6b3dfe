#include "base/formats/npz_file.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <regex>
#include <set>

#include "base/atomic_file.h"
#include "base/byte_reader.h"
#include "base/check.h"

namespace glossa {

namespace {

constexpr std::string_view npy_magic = "\x93NUMPY", suffix = ".npy";
constexpr std::size_t max_npz_header = 4096, numbers_alignment = 64;

/// Converts NumPy's type names; returns an empty text for an unsupported type.
std::string dtype_of(std::string_view descr) {
  static const std::map<std::string_view, std::string> names{{"<f8", "F64"}, {"<f4", "F32"}, {"<f2", "F16"},
                                                             {"<i8", "I64"}, {"<i4", "I32"}, {"|i1", "I8"},
                                                             {"|u1", "U8"},  {"|b1", "BOOL"}};
  const auto found = names.find(descr);
  return found == names.end() ? "" : found->second;
}

/// Parses a header such as {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }.
TensorEntry parse_header(const FileCheck& require, const std::string& name, const std::string& text) {
  static const std::regex form(
      R"(\{ *'descr': *'([^']*)' *, *'fortran_order': *(\w+) *, *'shape': *\(((?: *\d+ *,)* *\d* *)\) *,? *\})");
  static const std::regex number(R"(\d+)");
  std::smatch parts;
  require(std::regex_search(text, parts, form, std::regex_constants::match_continuous),
          "expected the type of '{}', its order and the shape of '{}'; not found", name, name);
  const std::string descr = parts[1], shape = parts[3];
  TensorEntry entry{.name = name, .dtype = dtype_of(descr), .shape = {}};
  require(!entry.dtype.empty(), "expected '{}' to be <f8, <f4, <f2, <i8, <i4, |i1, |u1 or |b1; got {}", name,
          descr.substr(0, 20));
  require(parts[2] == "False", "expected '{}' to be in C order; got another order", name);
  for (auto dim = std::sregex_iterator(shape.begin(), shape.end(), number); dim != std::sregex_iterator(); ++dim) {
    const std::string digits = dim->str();
    const auto [end, code] = std::from_chars(digits.data(), digits.data() + digits.size(), entry.shape.emplace_back());
    require(code == std::errc() && entry.shape.size() <= max_dims,
            "expected the shape of '{}'; got more or larger dimensions than possible", name);
  }
  return entry;
}

/// The header that numpy.save writes before a tensor's numbers, padded so that the numbers are aligned.
std::string npy_header(std::string_view descr, std::span<const std::uint64_t> shape) {
  std::string dims;
  for (const std::uint64_t dim : shape) dims += fmt::format("{}{},", dims.empty() ? "" : " ", dim);
  if (shape.size() > 1) dims.pop_back();
  std::string text = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}", descr, dims);
  const std::size_t before = npy_magic.size() + 4;
  text.resize((before + text.size() + numbers_alignment) / numbers_alignment * numbers_alignment - before - 1, ' ');
  std::string header(npy_magic);
  append_numbers<std::uint8_t>(header, 1, 0);  // version
  append_numbers<std::uint16_t>(header, text.size() + 1);
  return header + text + "\n";
}

/// An entry to write.
struct Part {
  std::string name, header;
  std::span<const std::byte> bytes;

  std::uint64_t size() const { return header.size() + bytes.size(); }
};

std::uint32_t checksum(const Part& part) {
  const auto add = [](uLong crc, const void* bytes, std::size_t size) {  // crc32_z returns 0 for a null pointer
    return size == 0 ? crc : crc32_z(crc, static_cast<const Bytef*>(bytes), size);
  };
  return static_cast<std::uint32_t>(
      add(add(0, part.header.data(), part.header.size()), part.bytes.data(), part.bytes.size()));
}

/// Fields common to the local header and the directory: version 2.0, no flags, stored, dated 1 January 1980.
std::string common_fields(const Part& part, std::uint32_t crc) {
  std::string bytes;
  append_numbers<std::uint16_t>(bytes, 20, 0, 0, 0, 0x21);
  append_numbers<std::uint32_t>(bytes, crc, part.size(), part.size());
  append_numbers<std::uint16_t>(bytes, part.name.size(), 0);  // no extra field
  return bytes;
}

std::string directory_entry(const Part& part, std::uint32_t crc, std::uint64_t begin) {
  std::string bytes = "PK\x01\x02";
  append_numbers<std::uint16_t>(bytes, 20);
  bytes += common_fields(part, crc);
  append_numbers<std::uint16_t>(bytes, 0, 0, 0);  // length of comment, part, attributes
  append_numbers<std::uint32_t>(bytes, 0, begin);
  return bytes + part.name;
}

std::string directory_end(std::size_t entries, std::uint64_t size, std::uint64_t begin) {
  std::string bytes = "PK\x05\x06";
  append_numbers<std::uint16_t>(bytes, 0, 0, entries, entries);  // numbers of entries in this part and in all
  append_numbers<std::uint32_t>(bytes, size, begin);
  append_numbers<std::uint16_t>(bytes, 0);  // length of comment
  return bytes;
}

}  // namespace

NpzFile::NpzFile(ZipFile zip)
    : TensorFile(zip.path(), "the file is damaged, or not a .npz of tensors"), zip_(std::move(zip)) {
  for (const auto& [file, zipped] : zip_.entries()) {
    require_(file.ends_with(suffix), "expected an archive of .npy; got '{}' in it", file);
    const std::string name = file.substr(0, file.size() - suffix.size());
    ZipStream stream = zip_.open(zipped);
    const auto text = [&](std::size_t count) {
      std::string bytes(count, '\0');
      bytes.resize(stream.read(std::as_writable_bytes(std::span(bytes))));
      require_(bytes.size() == count, "expected the header of '{}'; not found", name);
      return bytes;
    };
    const std::string head = text(npy_magic.size() + 2);
    const int version = head[npy_magic.size()];
    require_(head.starts_with(npy_magic) && version >= 1 && version <= 3,
             "expected '{}' to be .npy of version 1 to 3; got another kind or version", name);
    const std::string length_bytes = text(version == 1 ? 2 : 4);
    std::size_t length = 0;
    for (std::size_t i = length_bytes.size(); i-- > 0;)
      length = length << 8 | static_cast<unsigned char>(length_bytes[i]);
    require_(length <= max_npz_header, "expected a header of '{}' of at most {} bytes; got {}", name, max_npz_header,
             length);
    TensorEntry entry = parse_header(require_, name, text(length));
    const std::size_t before = head.size() + length_bytes.size() + length;
    const auto bytes = byte_length(dtype_size(entry.dtype), entry.shape);
    require_(bytes && *bytes == zipped.size - before,
             "expected '{}' to have the length of its shape {} in {}; got another length", name,
             shape_text(entry.shape), entry.dtype);
    headers_.emplace(name, before);
    entries_.emplace(name, std::move(entry));
  }
}

void NpzFile::read_bytes(const TensorEntry& entry, const Take& take) const {
  const ZipEntry& zipped = zip_.entries().at(entry.name + std::string(suffix));
  ZipStream stream = zip_.open(zipped);
  std::vector<std::byte> piece(std::min<std::uint64_t>(std::max(piece_bytes, max_npz_header), zipped.size));
  stream.read(std::span(piece).first(headers_.at(entry.name)));
  while (const std::size_t got = stream.read(piece)) take(std::span(piece).first(got));
}

std::string NpzFile::text(const std::string& name, std::uint64_t max_bytes) const {
  const auto found = entries().find(name);
  require_(found != entries().end(), "expected an entry '{}'; not found", name);
  const TensorEntry& entry = found->second;
  require_(dtype_size(entry.dtype) == 1 && entry.count() <= max_bytes,
           "expected '{}' to be text of at most {} bytes; got other or longer data", name, max_bytes);
  std::string text;
  read_bytes(entry, [&](std::span<const std::byte> bytes) {
    text.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  });
  return text.substr(0, text.find_last_not_of('\0') + 1);
}

void write_npz(const std::filesystem::path& path, std::span<const NamedTensor<const float>> tensors,
               const std::map<std::string, std::string>& texts) {
  std::vector<Part> parts;
  std::set<std::string> names;
  const auto add = [&](const std::string& name, std::string header, std::span<const std::byte> bytes) {
    check(names.insert(name).second, path.string(), "expected unique tensor names; got '{}' twice", name);
    parts.push_back({name + std::string(suffix), std::move(header), bytes});
  };
  for (const NamedTensor<const float>& tensor : tensors) {
    check(tensor.fits(), path.string(), "expected as many values as the shape of '{}' has; got {}", tensor.name,
          tensor.values.size());
    add(tensor.name, npy_header("<f4", tensor.shape), std::as_bytes(tensor.values));
  }
  for (const auto& [name, text] : texts) {
    const std::uint64_t size = text.size();
    add(name, npy_header("|i1", std::span(&size, 1)), std::as_bytes(std::span(text)));
  }

  std::string directory;
  std::vector<std::string> headers;
  std::uint64_t begin = 0;
  for (const Part& part : parts) {
    const std::uint32_t crc = checksum(part);
    headers.push_back(std::string(zip_magic) + common_fields(part, crc) + part.name + part.header);
    directory += directory_entry(part, crc, begin);
    begin += headers.back().size() + part.bytes.size();
  }
  check(begin + directory.size() <= std::numeric_limits<std::uint32_t>::max() && parts.size() < 65'535, path.string(),
        "expected an archive of at most 4 GiB; got {} bytes", begin);
  directory += directory_end(parts.size(), directory.size(), begin);
  AtomicFile file(path, begin + directory.size());
  for (std::size_t i = 0; i < parts.size(); ++i) {
    file.write(std::as_bytes(std::span(headers[i])));
    file.write(parts[i].bytes);
  }
  file.write(std::as_bytes(std::span(directory)));
  file.commit();
}

}  // namespace glossa
