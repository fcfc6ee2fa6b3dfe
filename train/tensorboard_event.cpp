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
/// If fields are written in order of their numbers, the bytes equal those of Google's library.
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

  /// CRC-32C, rotated and offset, because the data may itself contain checksums.
  static std::string masked_checksum(std::string_view data) {
    return bytes_of(std::rotr(crc32c(std::as_bytes(std::span(data))), 15) + 0xA282EAD8u);
  }

  Message& append(std::uint32_t field, Type type, const std::string& value) {
    text_ += as_varint(field << 3 | static_cast<std::uint32_t>(type)) + value;
    return *this;
  }

  std::string text_;
};

// Numbers of the fields and enumerators that are used, by message.
namespace of_event {
enum : std::uint32_t { wall_time = 1, step = 2, file_version = 3, summary = 5, session_log = 7 };
}
namespace of_session_log {
enum : std::uint32_t { status = 1 };
enum : std::int64_t { start = 1 };
}  // namespace of_session_log
namespace of_summary {
enum : std::uint32_t { value = 1 };
}
namespace of_value {
enum : std::uint32_t { tag = 1, simple_value = 2, tensor = 8, metadata = 9 };
}
namespace of_tensor {
enum : std::uint32_t { dtype = 1, tensor_shape = 2, string_val = 8 };
enum : std::int64_t { dt_string = 7 };
}  // namespace of_tensor
namespace of_shape {
enum : std::uint32_t { dim = 2 };
}
namespace of_dim {
enum : std::uint32_t { size = 1 };
}
namespace of_metadata {
enum : std::uint32_t { plugin_data = 1, data_class = 4 };
enum : std::int64_t { tensor = 2 };
}  // namespace of_metadata
namespace of_plugin_data {
enum : std::uint32_t { plugin_name = 1 };
}

Message event_at(const Time& time) {
  Message event;
  event.real(of_event::wall_time, time.wall);
  if (time.step != 0) event.whole(of_event::step, time.step);  // 0 means absent
  return event;
}

}  // namespace

std::string version(const Time& time) { return event_at(time).bytes(of_event::file_version, "brain.Event:2").record(); }

std::string session_start(const Time& time) {
  const Message log = Message().whole(of_session_log::status, of_session_log::start);
  return event_at(time).message(of_event::session_log, log).record();
}

std::string scalars(const Time& time, std::span<const Scalar> scalars) {
  Message summary;
  for (const Scalar& scalar : scalars)
    summary.message(
        of_summary::value,
        Message().bytes(of_value::tag, scalar.tag).single(of_value::simple_value, static_cast<float>(scalar.value)));
  return event_at(time).message(of_event::summary, summary).record();
}

std::string text(const Time& time, std::string_view tag, std::string_view text) {
  const Message shape = Message().message(of_shape::dim, Message().whole(of_dim::size, 1));
  const Message tensor = Message()
                             .whole(of_tensor::dtype, of_tensor::dt_string)
                             .message(of_tensor::tensor_shape, shape)
                             .bytes(of_tensor::string_val, utf8::replace_invalid(text));
  const Message metadata = Message()
                               .message(of_metadata::plugin_data, Message().bytes(of_plugin_data::plugin_name, "text"))
                               .whole(of_metadata::data_class, of_metadata::tensor);
  const Message value =
      Message().bytes(of_value::tag, tag).message(of_value::tensor, tensor).message(of_value::metadata, metadata);
  return event_at(time).message(of_event::summary, Message().message(of_summary::value, value)).record();
}

}  // namespace glossa::event
