#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace glossa {

/// A figure under the name that TensorBoard shows it by; a slash parts group and name.
struct Scalar {
  std::string tag;
  double value;  ///< is kept in single precision
};

/// When something was, and what it belongs to.
struct EventTime {
  double wall = 0;  ///< seconds since 1970
  std::int64_t step = 0;
};

/// What TensorBoard's files consist of: messages `Event` of its event.proto and summary.proto.
namespace event {

/// The first one of a file.
std::string version(const EventTime& time);

/// A session begins: what readers know of its step and of later ones counts no more.
std::string session_start(const EventTime& time);
std::string session_stop(const EventTime& time);

std::string scalars(const EventTime& time, std::span<const Scalar> scalars);

/// Text is Markdown; bytes that are no UTF-8 become U+FFFD.
std::string text(const EventTime& time, std::string_view tag, std::string_view text);

/// A PNG of width x height pixels.
std::string picture(const EventTime& time, std::string_view tag, std::int64_t width, std::int64_t height,
                    std::string_view png);

}  // namespace event

/// What a file is cut by.
struct EventHead {
  std::int64_t step = 0;
  bool stops_session = false;
};
EventHead head_of_event(std::string_view event);

}  // namespace glossa
