#pragma once

#include <string>
#include <string_view>

namespace glossa::serve {

/// Returns the English name of a language by its ISO 639-1 code. The code may end in a region, as "pt-BR" does. An
/// unknown code is returned unchanged.
std::string language_name(std::string_view code);

/// How well a language that a client names fits one that a run serves: `exact_language` if the codes are equal, less if
/// they differ in case or in `-` and `_`, least if only one has a region (`en-US` and `en`), and 0 if they are
/// different languages.
std::size_t match(std::string_view named, std::string_view served);
inline constexpr std::size_t exact_language = 3;

}  // namespace glossa::serve
