#include "train/tensorboard/event.h"

#include "data/text/utf8.h"
#include "train/tensorboard/wire.h"

namespace glossa {

namespace {

using wire::Message;

// Numbers of the fields and enumerators that are used, by message.
namespace of_event {
enum : std::uint32_t { wall_time = 1, step = 2, file_version = 3, summary = 5, session_log = 7 };
}
namespace of_session_log {
enum : std::uint32_t { status = 1 };
enum : std::int64_t { start = 1, stop = 2 };
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

Message event_at(const EventTime& time) {
  Message event;
  event.real(of_event::wall_time, time.wall);
  if (time.step != 0) event.whole(of_event::step, time.step);  // 0 means absent
  return event;
}

std::string session(const EventTime& time, std::int64_t status) {
  return event_at(time).message(of_event::session_log, Message().whole(of_session_log::status, status)).text();
}

std::string summary_of(const EventTime& time, const Message& value) {
  return event_at(time).message(of_event::summary, Message().message(of_summary::value, value)).text();
}

}  // namespace

namespace event {

std::string version(const EventTime& time) {
  return event_at(time).bytes(of_event::file_version, "brain.Event:2").text();
}

std::string session_start(const EventTime& time) { return session(time, of_session_log::start); }

std::string session_stop(const EventTime& time) { return session(time, of_session_log::stop); }

std::string scalars(const EventTime& time, std::span<const Scalar> scalars) {
  Message summary;
  for (const Scalar& scalar : scalars)
    summary.message(
        of_summary::value,
        Message().bytes(of_value::tag, scalar.tag).single(of_value::simple_value, static_cast<float>(scalar.value)));
  return event_at(time).message(of_event::summary, summary).text();
}

std::string text(const EventTime& time, std::string_view tag, std::string_view text) {
  const Message shape = Message().message(of_shape::dim, Message().whole(of_dim::size, 1));
  const Message tensor = Message()
                             .whole(of_tensor::dtype, of_tensor::dt_string)
                             .message(of_tensor::tensor_shape, shape)
                             .bytes(of_tensor::string_val, utf8::replace_invalid(text));
  const Message metadata = Message()
                               .message(of_metadata::plugin_data, Message().bytes(of_plugin_data::plugin_name, "text"))
                               .whole(of_metadata::data_class, of_metadata::tensor);
  return summary_of(
      time,
      Message().bytes(of_value::tag, tag).message(of_value::tensor, tensor).message(of_value::metadata, metadata));
}

}  // namespace event

EventHead head_of_event(std::string_view event) {
  EventHead head;
  while (const auto field = wire::next_field(event)) {
    if (field->number == of_event::step) head.step = static_cast<std::int64_t>(field->whole);
    if (field->number != of_event::session_log) continue;
    std::string_view log = field->bytes;
    while (const auto inner = wire::next_field(log)) {
      if (inner->number == of_session_log::status) head.stops_session = inner->whole == of_session_log::stop;
    }
  }
  return head;
}

}  // namespace glossa
