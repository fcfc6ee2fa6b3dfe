#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace glossa {

/// A number under its TensorBoard tag, `group/name`.
struct Scalar {
  std::string tag;
  double value;  ///< stored in single precision
};

/// Time and step of an event.
struct EventTime {
  double wall = 0;  ///< seconds since 1970
  std::int64_t step = 0;
};

/// Builders of the messages in TensorBoard's files: `Event` of event.proto, and the messages of summary.proto inside an
/// `Event`.
namespace event {

/// The first message of a file.
std::string version(const EventTime& time);

/// Begins a session. Readers then discard the data of earlier sessions at this step and at later steps.
std::string session_start(const EventTime& time);
std::string session_stop(const EventTime& time);

std::string scalars(const EventTime& time, std::span<const Scalar> scalars);

/// Text in Markdown; bytes that are not UTF-8 become U+FFFD.
std::string text(const EventTime& time, std::string_view tag, std::string_view text);

}  // namespace event

/// Fields of an event that EventFile::cut needs.
struct EventHead {
  std::int64_t step = 0;
  bool stops_session = false;
};
EventHead head_of_event(std::string_view event);

}  // namespace glossa
