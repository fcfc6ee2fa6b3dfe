#include "train/tensorboard_event.h"

#include <bit>

#include "base/crc32c.h"
#include "data/text/utf8.h"

namespace glossa::event {

namespace {

static_assert(std::endian::native == std::endian::little);

template <class Number>
std::string bytes_of(Number number) {
  return {reinterpret_cast<const char*>(&number), sizeof number};
}

/// A message in the wire format of Protocol Buffers (protobuf.dev/programming-guides/encoding), written field by field.
/// If fields are written in ascending order of their numbers, the bytes equal those of Google's library.
class Message {
 public:
  /// Adds an int64, an int32 or an enumerator.
  Message& whole(std::uint32_t field, std::int64_t value) {
    return append(field, Type::varint, as_varint(static_cast<std::uint64_t>(value)));
  }
  Message& single(std::uint32_t field, float value) { return append(field, Type::four_bytes, bytes_of(value)); }
  Message& real(std::uint32_t field, double value) { return append(field, Type::eight_bytes, bytes_of(value)); }
  Message& bytes(std::uint32_t field, std::string_view value) {
    return append(field, Type::counted_bytes, as_varint(value.size()).append(value));
  }
  Message& message(std::uint32_t field, const Message& value) { return bytes(field, value.text_); }

  /// Returns a TFRecord: the length in 8 bytes, the length's checksum in 4, the message, its checksum in 4.
  std::string record() const {
    const std::string length = bytes_of(std::uint64_t{text_.size()});
    return length + masked_checksum(length) + text_ + masked_checksum(text_);
  }

 private:
  enum class Type : std::uint32_t { varint = 0, eight_bytes = 1, counted_bytes = 2, four_bytes = 5 };

  /// A varint has seven bits per byte, lowest first; all bytes except the last have the eighth bit set.
  static std::string as_varint(std::uint64_t value) {
    std::string bytes;
    for (; value >= 0x80; value >>= 7) bytes += static_cast<char>((value & 0x7F) | 0x80);
    return bytes + static_cast<char>(value);
  }

  /// TFRecord's checksum: CRC-32C, rotated and offset, because the data may itself contain CRCs.
  static std::string masked_checksum(std::string_view data) {
    return bytes_of(std::rotr(crc32c(std::as_bytes(std::span(data))), 15) + 0xA282EAD8u);
  }

  Message& append(std::uint32_t field, Type type, const std::string& value) {
    text_ += as_varint(field << 3 | static_cast<std::uint32_t>(type)) + value;
    return *this;
  }

  std::string text_;
};

// Numbers of the fields and enumerators used here; each name begins with its message.
constexpr std::uint32_t event_wall_time = 1, event_step = 2, event_file_version = 3, event_summary = 5;
constexpr std::uint32_t event_session_log = 7, session_log_status = 1, summary_value = 1;
constexpr std::uint32_t value_tag = 1, value_simple_value = 2, value_tensor = 8, value_metadata = 9;
constexpr std::uint32_t tensor_dtype = 1, tensor_shape = 2, tensor_string_val = 8, shape_dim = 2, dim_size = 1;
constexpr std::uint32_t metadata_plugin_data = 1, metadata_data_class = 4, plugin_data_plugin_name = 1;
constexpr std::int64_t session_log_start = 1, dtype_string = 7, data_class_tensor = 2;

Message event_at(const Time& time) {
  Message event;
  event.real(event_wall_time, time.wall);
  if (time.step != 0) event.whole(event_step, time.step);  // 0 means absent
  return event;
}

}  // namespace

std::string version(const Time& time) { return event_at(time).bytes(event_file_version, "brain.Event:2").record(); }

std::string session_start(const Time& time) {
  const Message log = Message().whole(session_log_status, session_log_start);
  return event_at(time).message(event_session_log, log).record();
}

std::string scalars(const Time& time, std::span<const Scalar> scalars) {
  Message summary;
  for (const Scalar& scalar : scalars)
    summary.message(
        summary_value,
        Message().bytes(value_tag, scalar.tag).single(value_simple_value, static_cast<float>(scalar.value)));
  return event_at(time).message(event_summary, summary).record();
}

std::string text(const Time& time, std::string_view tag, std::string_view text) {
  const Message shape = Message().message(shape_dim, Message().whole(dim_size, 1));
  const Message tensor = Message()
                             .whole(tensor_dtype, dtype_string)
                             .message(tensor_shape, shape)
                             .bytes(tensor_string_val, utf8::replace_invalid(text));
  const Message metadata = Message()
                               .message(metadata_plugin_data, Message().bytes(plugin_data_plugin_name, "text"))
                               .whole(metadata_data_class, data_class_tensor);
  const Message value = Message().bytes(value_tag, tag).message(value_tensor, tensor).message(value_metadata, metadata);
  return event_at(time).message(event_summary, Message().message(summary_value, value)).record();
}

}  // namespace glossa::event
