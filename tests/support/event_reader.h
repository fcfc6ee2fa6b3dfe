#pragma once

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/temporary_folder.h"

namespace glossa::testing {

/// CRC-32C, computed bit by bit as in its definition.
inline std::uint32_t crc32c_by_bits(std::string_view bytes) {
  std::uint32_t crc = ~0u;
  for (const char byte : bytes) {
    crc ^= static_cast<unsigned char>(byte);
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ (0x82F63B78u & (0u - (crc & 1)));
  }
  return ~crc;
}

/// Reads a little-endian number of at most 8 bytes.
inline std::uint64_t number_of(std::string_view bytes) {
  std::uint64_t value = 0;
  std::memcpy(&value, bytes.data(), bytes.size());
  return value;
}

/// Calls `use(number, whole, bytes)` for each field of a Protocol Buffers message. `number` is the field's number,
/// `whole` has the bits of a numeric value, and `bytes` has any other value. Throws std::out_of_range if the message is
/// malformed.
inline void for_each_field(std::string_view message, const auto& use) {
  const auto take = [&](std::uint64_t count) {
    if (count > 0) message.at(count - 1);
    const std::string_view taken = message.substr(0, count);
    message.remove_prefix(count);
    return taken;
  };
  const auto take_varint = [&] {
    std::uint64_t value = 0;
    for (int shift = 0;; shift += 7) {
      const std::uint64_t byte = number_of(take(1));
      value |= (byte & 0x7F) << shift;
      if (byte < 0x80) return value;
    }
  };
  while (!message.empty()) {
    const std::uint64_t key = take_varint(), type = key & 7;
    const std::uint64_t whole = type == 0 || type == 2 ? take_varint() : number_of(take(type == 1 ? 8 : 4));
    use(key >> 3, whole, type == 2 ? take(whole) : std::string_view());
  }
}

/// A value as TensorBoard reads it.
struct RecordedValue {
  std::int64_t step = 0;
  float number = 0;  ///< a scalar's number
  std::string text;
};

/// The two readers of TensorBoard. They differ in the data that they discard because a resumed run replaces it.
enum class EventReader {
  python,  ///< when a session starts, except the first: discards all data from the session's step on
  server   ///< the data server, the default; at each value: discards the tag's data from the value's step on
};

/// A folder of event files as TensorBoard reads it: files in name order, each up to the first record with a wrong
/// length or checksum.
struct RecordedEvents {
  std::map<std::string, std::vector<RecordedValue>> values;  ///< by tag, in the order written
  std::vector<std::int64_t> starts;                          ///< steps at which a session starts
  int files = 0, torn = 0;  ///< numbers of files, and of files with unread bytes at the end

  /// The steps of a tag.
  std::vector<std::int64_t> steps(const std::string& tag) const {
    std::vector<std::int64_t> steps;
    if (values.contains(tag))
      for (const RecordedValue& value : values.at(tag)) steps.push_back(value.step);
    return steps;
  }
};

inline RecordedEvents read_events(const std::filesystem::path& folder, EventReader reader = EventReader::python) {
  RecordedEvents seen;
  const auto is_summed = [&](std::string_view bytes, std::string_view sum) {
    const std::uint32_t crc = crc32c_by_bits(bytes);
    return number_of(sum) == static_cast<std::uint32_t>((crc >> 15 | crc << 17) + 0xA282EAD8u);
  };
  const auto discard = [](std::vector<RecordedValue>& values, std::int64_t from) {
    std::erase_if(values, [&](const RecordedValue& value) { return value.step >= from; });
  };
  const auto read_value = [&](std::int64_t step, std::string_view message) {
    std::string tag;
    RecordedValue value{.step = step, .number = 0, .text = {}};
    for_each_field(message, [&](std::uint64_t number, std::uint64_t whole, std::string_view bytes) {
      if (number == 1) tag = bytes;
      if (number == 2) std::memcpy(&value.number, &whole, sizeof value.number);
      if (number == 8)  // a tensor
        for_each_field(bytes, [&](std::uint64_t inner, std::uint64_t, std::string_view text) {
          if (inner == 8) value.text = text;
        });
    });
    if (reader == EventReader::server) discard(seen.values[tag], step);
    seen.values[tag].push_back(value);
  };
  const auto read_event = [&](std::string_view event) {
    std::int64_t step = 0;
    for_each_field(event, [&](std::uint64_t number, std::uint64_t whole, std::string_view bytes) {
      if (number == 2) step = static_cast<std::int64_t>(whole);
      if (number == 5)
        for_each_field(bytes, [&](std::uint64_t, std::uint64_t, std::string_view value) { read_value(step, value); });
      if (number != 7) return;
      if (reader == EventReader::python && !seen.starts.empty())
        for (auto& values : seen.values) discard(values.second, step);
      seen.starts.push_back(step);
    });
  };
  if (!std::filesystem::exists(folder)) return seen;
  for (const std::string& name : names_in(folder)) {
    const std::string bytes = read_bytes(folder / name);
    std::string_view rest = bytes;
    ++seen.files;
    while (rest.size() >= 16 && is_summed(rest.substr(0, 8), rest.substr(8, 4))) {
      const std::uint64_t length = number_of(rest.substr(0, 8));
      if (length > rest.size() - 16 || !is_summed(rest.substr(12, length), rest.substr(12 + length, 4))) break;
      read_event(rest.substr(12, length));
      rest.remove_prefix(16 + length);
    }
    if (!rest.empty()) ++seen.torn;
  }
  return seen;
}

}  // namespace glossa::testing
