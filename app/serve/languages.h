#pragma once

#include <string>
#include <string_view>

namespace glossa::serve {

/// The English name of a language by its code of ISO 639-1, also with a region ("pt-BR"); a code that is not known is
/// its own name.
std::string language_name(std::string_view code);

}  // namespace glossa::serve
