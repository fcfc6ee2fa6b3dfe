#pragma once

#include <string>
#include <string_view>

namespace glossa::serve {

/// Returns the English name of a language by its ISO 639-1 code. The code may end in a region, as "pt-BR" does. An
/// unknown code is returned unchanged.
std::string language_name(std::string_view code);

}  // namespace glossa::serve
