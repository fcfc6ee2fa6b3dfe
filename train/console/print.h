#pragma once

#include <fmt/core.h>

#include <cstdio>
#include <string>
#include <string_view>

#include "train/console/color.h"
#include "train/console/verbosity.h"

namespace glossa {

/// Writes `label` unchanged, then the message `text` as one printable line. On failure (closed terminal, full disk) the
/// message is dropped and work continues. A newline at the end of `text` is optional.
void print_message(std::FILE* to, std::string_view label, std::string_view text);

/// Prints a note, except with -q.
template <class... T>
void print_note(fmt::format_string<T...> format, T&&... arguments) {
  if (verbosity() != Verbosity::quiet) print_message(stderr, "", fmt::format(format, std::forward<T>(arguments)...));
}

/// Prints a detail, only with -v.
template <class... T>
void print_detail(fmt::format_string<T...> format, T&&... arguments) {
  if (verbosity() == Verbosity::verbose) print_message(stderr, "", fmt::format(format, std::forward<T>(arguments)...));
}

/// Prints "warning: TEXT", even with -q.
template <class... T>
void warn(fmt::format_string<T...> format, T&&... arguments) {
  print_message(stderr, colored(stderr, Color::warning, "warning:") + " ",
                fmt::format(format, std::forward<T>(arguments)...));
}

/// Prints an error as "glossa: TEXT", the form of all fatal errors.
template <class... T>
void print_error(std::FILE* errors, fmt::format_string<T...> format, T&&... arguments) {
  print_message(errors, colored(errors, Color::error, "glossa:") + " ",
                fmt::format(format, std::forward<T>(arguments)...));
}

}  // namespace glossa
