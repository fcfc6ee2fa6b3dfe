#pragma once

#include <fmt/core.h>

#include <cstdio>
#include <functional>
#include <string>
#include <string_view>

namespace glossa {

/// Meaning of a color; values are the terminal's color codes.
enum class Color { error = 31, good = 32, warning = 33 };

/// True if the stream is a terminal that supports escape sequences. False for a file, for a pipe, and with TERM=dumb.
bool is_terminal(std::FILE* stream);

/// Returns the text in color if `is_terminal(stream)` and NO_COLOR (https://no-color.org) is not set; otherwise returns
/// it unchanged.
std::string colored(std::FILE* stream, Color color, std::string_view text);

/// Amount of output on standard error. A command's results, on standard output, do not depend on it.
enum class Verbosity {
  quiet,    ///< -q: warnings and errors
  usual,    ///< warnings, errors, notes and progress
  verbose,  ///< -v: all messages, with details
};

Verbosity verbosity();

/// Sets the verbosity. Call it before running a command.
void set_verbosity(Verbosity verbosity);

/// A message for people.
enum class Message {
  detail,  ///< printed only with -v
  note,    ///< printed except with -q
  warning
};

/// Receives the library's messages instead of standard error; no progress is drawn then. An empty sink restores
/// standard error. Call before any work begins. Training reports to its observers instead.
using MessageSink = std::function<void(Message kind, std::string_view text)>;
void set_message_sink(MessageSink sink);
bool has_message_sink();

/// True if a message of this kind is shown or sent anywhere. Check this before composing the text.
bool is_wanted(Message kind);

/// Sends a message to the sink, or prints it on standard error. A warning is printed as "warning: TEXT".
void send_message(Message kind, std::string_view text);

/// Writes `label` unchanged, then the message `text` as one printable line. On failure (closed terminal, full disk) the
/// message is dropped and work continues. A newline at the end of `text` is optional.
void print_message(std::FILE* to, std::string_view label, std::string_view text);

template <class... T>
void print_note(fmt::format_string<T...> format, T&&... arguments) {
  if (is_wanted(Message::note)) send_message(Message::note, fmt::format(format, std::forward<T>(arguments)...));
}

template <class... T>
void print_detail(fmt::format_string<T...> format, T&&... arguments) {
  if (is_wanted(Message::detail)) send_message(Message::detail, fmt::format(format, std::forward<T>(arguments)...));
}

template <class... T>
void warn(fmt::format_string<T...> format, T&&... arguments) {
  send_message(Message::warning, fmt::format(format, std::forward<T>(arguments)...));
}

/// Returns the current local time, in a format of strftime, for messages.
std::string local_time(const char* format);

/// Prints an error as "glossa: TEXT", the form of all fatal errors.
template <class... T>
void print_error(std::FILE* errors, fmt::format_string<T...> format, T&&... arguments) {
  print_message(errors, colored(errors, Color::error, "glossa:") + " ",
                fmt::format(format, std::forward<T>(arguments)...));
}

}  // namespace glossa
