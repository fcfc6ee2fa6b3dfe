#pragma once

#include <string>
#include <string_view>

namespace glossa::serve {

/// Returns the English name of a language given by its ISO 639-1 code. The code may end with a region, as "pt-BR" does.
/// An unknown code is returned unchanged.
std::string language_name(std::string_view code);

/// Rates how well a client's language code matches a run's. Returns `exact_language` if they are equal, and 2 if only
/// letter case or `-` and `_` differ. Returns 1 if only one of them has a region (`en-US` and `en`), otherwise 0.
std::size_t match(std::string_view named, std::string_view served);
inline constexpr std::size_t exact_language = 3;

}  // namespace glossa::serve
