#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace glossa::wire {

/// A message in the wire format of Protocol Buffers (protobuf.dev/programming-guides/encoding), written field by field.
/// If fields are written in order of their numbers, the bytes equal those of Google's library.
class Message {
 public:
  Message& whole(std::uint32_t field, std::int64_t value);  ///< int32, int64, bool or an enumerator
  Message& single(std::uint32_t field, float value);
  Message& real(std::uint32_t field, double value);
  Message& bytes(std::uint32_t field, std::string_view value);  ///< bytes or text
  Message& message(std::uint32_t field, const Message& value) { return bytes(field, value.text_); }

  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

/// A field read from a message.
struct Field {
  std::uint32_t number = 0;
  std::uint64_t whole = 0;  ///< the raw bits, if the field is a number
  std::string_view bytes;   ///< the content, if the field is bytes, a text or a message
};

/// Removes the first field of a message and returns it. Returns an empty value at the message's end or if the message
/// is malformed.
std::optional<Field> next_field(std::string_view& message);

}  // namespace glossa::wire
