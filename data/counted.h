#pragma once

#include <fmt/core.h>

#include <string>
#include <string_view>

namespace glossa {

/// A number with what it counts: "1 batch", "2 batches", "0.5 epochs".
template <class Number>
std::string counted(Number number, std::string_view noun) {
  return fmt::format("{} {}{}", number, noun, number == Number{1} ? "" : noun.ends_with("tch") ? "es" : "s");
}

}  // namespace glossa
