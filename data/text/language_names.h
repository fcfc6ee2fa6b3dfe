#pragma once

#include <string_view>

namespace glossa {

/// Whether a text is the name of a language, as the head of a column may have it: a code of ISO 639-1 (`de`, also
/// `pt-BR` or `pt_BR`), or the code of ISO 639-3 or the English name of a language that many corpora have (`deu`,
/// `German`). ASCII case does not matter.
bool names_a_language(std::string_view text);

}  // namespace glossa
