#pragma once

#include <string>
#include <string_view>

namespace glossa::serve {

/// The English name of a language from its ISO 639-1 code, also with a region ("pt-BR"); an unknown code is its own
/// name.
std::string language_name(std::string_view code);

}  // namespace glossa::serve
