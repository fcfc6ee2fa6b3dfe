#include "train/tensorboard/record.h"

#include <bit>
#include <cstring>
#include <span>

#include "files/crc32c.h"

namespace glossa {

namespace {

static_assert(std::endian::native == std::endian::little);

constexpr std::size_t length_bytes = 8, checksum_bytes = 4, head = length_bytes + checksum_bytes;

std::uint32_t masked_checksum(std::string_view data) {
  return std::rotr(crc32c(std::as_bytes(std::span(data))), 15) + 0xA282EAD8u;
}

template <class Number>
std::string bytes_of(Number number) {
  return {reinterpret_cast<const char*>(&number), sizeof number};
}

/// Length of a record's data, if its checksum matches.
std::optional<std::uint64_t> data_length(std::string_view record) {
  if (record.size() < head + checksum_bytes) return std::nullopt;
  const std::string_view field = record.substr(0, length_bytes);
  if (record.substr(length_bytes, checksum_bytes) != bytes_of(masked_checksum(field))) return std::nullopt;
  std::uint64_t length = 0;
  std::memcpy(&length, field.data(), length_bytes);
  return length;
}

}  // namespace

std::string as_record(std::string_view data) {
  std::string record = bytes_of(std::uint64_t{data.size()});
  record += bytes_of(masked_checksum(record));
  record += data;
  return record + bytes_of(masked_checksum(data));
}

std::optional<std::string_view> next_record(std::string_view& file) {
  const std::optional<std::uint64_t> length = data_length(file);
  if (!length || *length > file.size() - head - checksum_bytes) return std::nullopt;
  const std::string_view data = file.substr(head, *length);
  if (file.substr(head + *length, checksum_bytes) != bytes_of(masked_checksum(data))) return std::nullopt;
  file.remove_prefix(head + *length + checksum_bytes);
  return data;
}

bool is_torn(std::string_view rest) {
  if (rest.size() < head + checksum_bytes) return true;
  const std::optional<std::uint64_t> length = data_length(rest);
  return length && *length > rest.size() - head - checksum_bytes;
}

}  // namespace glossa
