#pragma once

#include <fmt/core.h>

#include <cstdio>

#include "train/console/colour.h"
#include "train/console/verbosity.h"

namespace glossa {

/// Writes to standard error what nothing hangs on: where that takes no more, a terminal that went away or a full disk,
/// it is lost, and the work goes on.
inline void write_to_stderr(const std::string& text) { std::fwrite(text.data(), 1, text.size(), stderr); }

/// What it is good to know.
template <class... T>
void tell(fmt::format_string<T...> format, T&&... arguments) {
  if (verbosity() != Verbosity::quiet) write_to_stderr(fmt::format(format, std::forward<T>(arguments)...));
}

/// What one may want to know, with -v.
template <class... T>
void tell_more(fmt::format_string<T...> format, T&&... arguments) {
  if (verbosity() == Verbosity::verbose) write_to_stderr(fmt::format(format, std::forward<T>(arguments)...));
}

/// "warning: TEXT", also with -q.
template <class... T>
void warn(fmt::format_string<T...> format, T&&... arguments) {
  const std::string text = fmt::format(format, std::forward<T>(arguments)...);
  write_to_stderr(fmt::format("{} {}\n", coloured(stderr, Colour::warning, "warning:"), text));
}

/// "glossa: TEXT": an error, as every error that ends the program is told.
template <class... T>
void tell_error(std::FILE* errors, fmt::format_string<T...> format, T&&... arguments) {
  const std::string text = fmt::format(format, std::forward<T>(arguments)...);
  const std::string line = fmt::format("{} {}\n", coloured(errors, Colour::error, "glossa:"), text);
  std::fwrite(line.data(), 1, line.size(), errors);
}

}  // namespace glossa
