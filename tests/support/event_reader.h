#pragma once

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/temporary_folder.h"
#include "train/tensorboard/wire.h"

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

/// A value as TensorBoard reads it.
struct RecordedValue {
  std::int64_t step = 0;
  float number = 0;  ///< a scalar's number
  std::string text;
};

/// A folder of event files as TensorBoard reads it: files in name order, each up to the first record with a wrong
/// length or checksum.
struct RecordedEvents {
  std::map<std::string, std::vector<RecordedValue>> values;  ///< by tag, in the order written
  std::vector<std::int64_t> starts, stops;                   ///< steps at which a session starts or stops
  int files = 0, torn = 0;  ///< numbers of files, and of files with unread bytes at the end

  /// The steps of a tag.
  std::vector<std::int64_t> steps(const std::string& tag) const {
    std::vector<std::int64_t> steps;
    if (values.contains(tag))
      for (const RecordedValue& value : values.at(tag)) steps.push_back(value.step);
    return steps;
  }
};

inline RecordedEvents read_events(const std::filesystem::path& folder) {
  RecordedEvents seen;
  const auto number = [](std::string_view bytes, std::size_t size) {
    std::uint64_t value = 0;
    std::memcpy(&value, bytes.data(), size);
    return value;
  };
  const auto is_summed = [&](std::string_view bytes, std::string_view sum) {
    const std::uint32_t crc = crc32c_by_bits(bytes);
    return number(sum, 4) == static_cast<std::uint32_t>((crc >> 15 | crc << 17) + 0xA282EAD8u);
  };
  const auto fields = [](std::string_view message, const auto& use) {
    while (const auto field = wire::next_field(message)) use(*field);
  };
  const auto read_value = [&](std::int64_t step, std::string_view message) {
    std::string tag;
    RecordedValue value{.step = step, .number = 0, .text = {}};
    fields(message, [&](const wire::Field& field) {
      if (field.number == 1) tag = field.bytes;
      if (field.number == 2) {
        const auto bits = static_cast<std::uint32_t>(field.whole);
        std::memcpy(&value.number, &bits, sizeof bits);
      }
      if (field.number == 8)  // a tensor
        fields(field.bytes, [&](const wire::Field& inner) {
          if (inner.number == 8) value.text = inner.bytes;
        });
    });
    seen.values[tag].push_back(value);
  };
  if (!std::filesystem::exists(folder)) return seen;
  for (const std::string& name : names_in(folder)) {
    const std::string bytes = read_bytes(folder / name);
    std::string_view rest = bytes;
    ++seen.files;
    while (rest.size() >= 16 && is_summed(rest.substr(0, 8), rest.substr(8, 4))) {
      const std::uint64_t length = number(rest, 8);
      if (length > rest.size() - 16 || !is_summed(rest.substr(12, length), rest.substr(12 + length, 4))) break;
      std::int64_t step = 0;
      fields(rest.substr(12, length), [&](const wire::Field& field) {
        if (field.number == 2) step = static_cast<std::int64_t>(field.whole);
        if (field.number == 5) fields(field.bytes, [&](const wire::Field& value) { read_value(step, value.bytes); });
        if (field.number == 7)
          fields(field.bytes,
                 [&](const wire::Field& status) { (status.whole == 1 ? seen.starts : seen.stops).push_back(step); });
      });
      rest.remove_prefix(16 + length);
    }
    if (!rest.empty()) ++seen.torn;
  }
  return seen;
}

}  // namespace glossa::testing
