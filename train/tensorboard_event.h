#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

/// Builders of the events in TensorBoard's event files. Each function returns a record to append to a file. A record is
/// an `Event` of event.proto, with messages of summary.proto inside, framed as a TFRecord.
namespace glossa::event {

/// A number under its TensorBoard tag, `group/name`.
struct Scalar {
  std::string tag;
  double value;  ///< stored in single precision
};

/// Time and step of an event.
struct Time {
  double wall = 0;  ///< seconds since 1970
  std::int64_t step = 0;
};

/// Returns the first event of a file.
std::string version(const Time& time);

/// Returns the mark that begins a session. TensorBoard then discards the data of earlier sessions from this step on;
/// its data server ignores this event.
std::string session_start(const Time& time);

std::string scalars(const Time& time, std::span<const Scalar> scalars);

/// Returns Markdown text as an event; bytes that are not UTF-8 become U+FFFD.
std::string text(const Time& time, std::string_view tag, std::string_view text);

}  // namespace glossa::event
