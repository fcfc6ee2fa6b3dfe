#pragma once

#include <string>
#include <string_view>

namespace glossa::serve {

/// The English name of the language with an ISO 639-1 code, which a region may follow ("pt-BR"). Returns an unknown
/// code unchanged.
std::string language_name(std::string_view code);

}  // namespace glossa::serve
