#pragma once

#include <fmt/core.h>

#include <cstdio>

#include "train/console/color.h"
#include "train/console/verbosity.h"

namespace glossa {

/// Writes a non-essential message to standard error; on failure (closed terminal, full disk) it is dropped and work
/// continues.
inline void write_to_stderr(const std::string& text) { std::fwrite(text.data(), 1, text.size(), stderr); }

/// A useful note.
template <class... T>
void print_note(fmt::format_string<T...> format, T&&... arguments) {
  if (verbosity() != Verbosity::quiet) write_to_stderr(fmt::format(format, std::forward<T>(arguments)...));
}

/// A detail, with -v.
template <class... T>
void print_detail(fmt::format_string<T...> format, T&&... arguments) {
  if (verbosity() == Verbosity::verbose) write_to_stderr(fmt::format(format, std::forward<T>(arguments)...));
}

/// "warning: TEXT", even with -q.
template <class... T>
void warn(fmt::format_string<T...> format, T&&... arguments) {
  const std::string text = fmt::format(format, std::forward<T>(arguments)...);
  write_to_stderr(fmt::format("{} {}\n", colored(stderr, Color::warning, "warning:"), text));
}

/// "glossa: TEXT": an error, in the form of every fatal one.
template <class... T>
void print_error(std::FILE* errors, fmt::format_string<T...> format, T&&... arguments) {
  const std::string text = fmt::format(format, std::forward<T>(arguments)...);
  const std::string line = fmt::format("{} {}\n", colored(errors, Color::error, "glossa:"), text);
  std::fwrite(line.data(), 1, line.size(), errors);
}

}  // namespace glossa
