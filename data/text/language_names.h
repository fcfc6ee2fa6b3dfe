#pragma once

#include <string_view>

namespace glossa {

/// True if a text is a language's name in the form that column headers use: a code of ISO 639-1 (`de`, also `pt-BR` or
/// `pt_BR`), or the ISO 639-3 code or English name of a language common in corpora (`deu`, `German`). Ignores ASCII
/// case.
bool names_a_language(std::string_view text);

}  // namespace glossa
