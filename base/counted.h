#pragma once

#include <fmt/core.h>

#include <string>
#include <string_view>

namespace glossa {

/// Formats a number with its noun: "1 batch", "2 batches", "0.5 epochs".
template <class Number>
std::string counted(Number number, std::string_view noun) {
  const char* const several = noun.ends_with("tch") || noun.ends_with("rch") || noun.ends_with("ss") ? "es" : "s";
  return fmt::format("{} {}{}", number, noun, number == Number{1} ? "" : several);
}

/// Formats a number of bytes: "3.5 MiB", "1.2 GiB".
inline std::string in_bytes(double bytes) {
  constexpr double mib = 1 << 20, gib = 1 << 30;
  return bytes < gib ? fmt::format("{:.1f} MiB", bytes / mib) : fmt::format("{:.1f} GiB", bytes / gib);
}

}  // namespace glossa
