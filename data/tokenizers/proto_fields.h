#pragma once

#include <cstdint>
#include <string_view>

#include "base/check.h"

namespace glossa {

/// One field of a message in the wire format of Protocol Buffers, the format of sentencepiece's models.
struct ProtoField {
  std::uint64_t number = 0;
  std::uint64_t value = 0;      // value of an integer
  std::string_view bytes = {};  // content of a text, of bytes or of a message
};

/// Calls `use(field)` for each field of a message, in order. Fields of other types have neither value nor bytes. Throws
/// if the message is damaged.
template <class Use>
void for_each_field(std::string_view message, Use use) {
  const auto take = [&](std::uint64_t size) {
    check(size <= message.size(), "sentencepiece", "expected a complete model; got a field that exceeds it");
    const std::string_view bytes = message.substr(0, size);
    message.remove_prefix(size);
    return bytes;
  };
  const auto take_number = [&] {
    std::uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      const auto byte = static_cast<unsigned char>(take(1).front());
      value |= std::uint64_t{byte & 0x7FU} << shift;
      if (byte < 0x80) break;
    }
    return value;
  };
  while (!message.empty()) {
    const std::uint64_t key = take_number();
    ProtoField field{.number = key / 8};
    switch (key % 8) {
      case 0:
        field.value = take_number();
        break;
      case 1:
        take(8);
        break;
      case 2:
        field.bytes = take(take_number());
        break;
      case 5:
        take(4);
        break;
      default:
        fail("sentencepiece", "expected fields of the types 0, 1, 2 and 5 in the model; got type {}", key % 8);
    }
    use(field);
  }
}

}  // namespace glossa
