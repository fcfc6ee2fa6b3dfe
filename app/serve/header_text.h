#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace glossa::serve {

/// Returns `text` with its ASCII letters in lower case. (Unicode's rules would map the Kelvin sign to k. A header could
/// then have another meaning to a proxy.)
std::string lower(std::string_view text);

/// Returns `text` without leading and trailing spaces and tabs.
std::string_view trimmed(std::string_view text);

/// True if `text` is not empty and consists of ASCII letters, digits and characters in `more`.
bool consists_of(std::string_view text, std::string_view more);

/// Returns the parameter `name` of a header such as `form-data; name="q"`. `name` is in lower case; the header may use
/// any case. A quoted value ends at the next quote, because browsers encode quotes within it as %22. Returns nothing if
/// the header lacks the parameter or its closing quote.
std::optional<std::string_view> header_parameter(std::string_view header, std::string_view name);

}  // namespace glossa::serve
