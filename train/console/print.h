#pragma once

#include <fmt/core.h>

#include <cstdio>
#include <string>
#include <string_view>

#include "train/console/color.h"
#include "train/console/verbosity.h"

namespace glossa {

/// Writes a message as one printable line, after a label of glossa's own. On failure (closed terminal, full disk) it is
/// dropped and work continues. A newline at the end may be left out.
void print_message(std::FILE* to, std::string_view label, std::string_view text);

/// A useful note.
template <class... T>
void print_note(fmt::format_string<T...> format, T&&... arguments) {
  if (verbosity() != Verbosity::quiet) print_message(stderr, "", fmt::format(format, std::forward<T>(arguments)...));
}

/// A detail, with -v.
template <class... T>
void print_detail(fmt::format_string<T...> format, T&&... arguments) {
  if (verbosity() == Verbosity::verbose) print_message(stderr, "", fmt::format(format, std::forward<T>(arguments)...));
}

/// "warning: TEXT", even with -q.
template <class... T>
void warn(fmt::format_string<T...> format, T&&... arguments) {
  print_message(stderr, colored(stderr, Color::warning, "warning:") + " ",
                fmt::format(format, std::forward<T>(arguments)...));
}

/// "glossa: TEXT": an error, in the form of every fatal one.
template <class... T>
void print_error(std::FILE* errors, fmt::format_string<T...> format, T&&... arguments) {
  print_message(errors, colored(errors, Color::error, "glossa:") + " ",
                fmt::format(format, std::forward<T>(arguments)...));
}

}  // namespace glossa
