#pragma once

#include <doctest/doctest.h>

#include <string>
#include <string_view>

#include "base/check.h"
#include "config/unknown_name.h"

namespace glossa::testing {

/// The text of the error about a word that a command does not accept.
inline std::string unknown_text(const CommandWords& known, std::string_view word, std::string_view value) {
  constexpr std::string_view where = "[command line] ";
  const std::string text = Error(Error::Kind::misuse, unknown_word(known, word, value)).what();
  REQUIRE(text.starts_with(where));
  return text.substr(where.size());
}

}  // namespace glossa::testing
