#include "train/tensorboard/wire.h"

#include <bit>

namespace glossa::wire {

namespace {

enum Type : std::uint32_t { varint = 0, eight_bytes = 1, counted_bytes = 2, four_bytes = 5 };

/// A varint has seven bits per byte, lowest first; all bytes except the last have the eighth bit set.
std::string as_varint(std::uint64_t value) {
  std::string bytes;
  for (; value >= 0x80; value >>= 7) bytes += static_cast<char>((value & 0x7F) | 0x80);
  return bytes + static_cast<char>(value);
}

std::string key(std::uint32_t field, Type type) { return as_varint(field << 3 | type); }

std::string little_endian(std::uint64_t value, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i) text += static_cast<char>(value >> 8 * i & 0xFF);
  return text;
}

std::optional<std::string_view> take(std::string_view& text, std::uint64_t count) {
  if (count > text.size()) return std::nullopt;
  const std::string_view taken = text.substr(0, count);
  text.remove_prefix(count);
  return taken;
}

std::optional<std::uint64_t> take_varint(std::string_view& text) {
  std::uint64_t value = 0;
  for (int shift = 0; shift < 64; shift += 7) {
    const auto byte = take(text, 1);
    if (!byte) return std::nullopt;
    value |= (std::uint64_t{static_cast<unsigned char>(byte->front())} & 0x7F) << shift;
    if ((byte->front() & 0x80) == 0) return value;
  }
  return std::nullopt;
}

/// Takes a number of `count` bytes from the front of a text.
std::optional<std::uint64_t> take_fixed(std::string_view& text, std::uint64_t count) {
  const auto bytes = take(text, count);
  if (!bytes) return std::nullopt;
  std::uint64_t value = 0;
  for (std::size_t i = bytes->size(); i-- > 0;) value = value << 8 | static_cast<unsigned char>((*bytes)[i]);
  return value;
}

}  // namespace

Message& Message::whole(std::uint32_t field, std::int64_t value) {
  text_ += key(field, varint) + as_varint(static_cast<std::uint64_t>(value));
  return *this;
}

Message& Message::single(std::uint32_t field, float value) {
  text_ += key(field, four_bytes) + little_endian(std::bit_cast<std::uint32_t>(value), 4);
  return *this;
}

Message& Message::real(std::uint32_t field, double value) {
  text_ += key(field, eight_bytes) + little_endian(std::bit_cast<std::uint64_t>(value), 8);
  return *this;
}

Message& Message::bytes(std::uint32_t field, std::string_view value) {
  text_ += key(field, counted_bytes) + as_varint(value.size());
  text_ += value;
  return *this;
}

std::optional<Field> next_field(std::string_view& message) {
  const auto key = take_varint(message);
  if (!key) return std::nullopt;
  Field field{.number = static_cast<std::uint32_t>(*key >> 3), .whole = 0, .bytes = {}};
  const auto type = static_cast<Type>(*key & 7);
  std::optional<std::uint64_t> number;
  if (type == varint) number = take_varint(message);
  if (type == eight_bytes) number = take_fixed(message, 8);
  if (type == four_bytes) number = take_fixed(message, 4);
  if (type == counted_bytes) number = take_varint(message);
  if (!number) return std::nullopt;
  if (type != counted_bytes) {
    field.whole = *number;
    return field;
  }
  const auto bytes = take(message, *number);
  if (!bytes) return std::nullopt;
  field.bytes = *bytes;
  return field;
}

}  // namespace glossa::wire
