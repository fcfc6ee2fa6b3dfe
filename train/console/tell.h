#pragma once

#include <fmt/core.h>

#include <cstdio>

namespace glossa {

/// Writes to standard error what it is good to know and nothing hangs on: where that takes no more, a terminal that
/// went away or a full disk, it is lost, and the work goes on.
template <class... T>
void tell(fmt::format_string<T...> format, T&&... arguments) {
  const std::string text = fmt::format(format, std::forward<T>(arguments)...);
  std::fwrite(text.data(), 1, text.size(), stderr);
}

}  // namespace glossa
