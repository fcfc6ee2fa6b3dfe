#pragma once

#include <string>
#include <string_view>

namespace glossa {

/// True if `text` names a language as column headers do. Every ISO 639-1 code (`de`) is known. For languages that are
/// common in corpora, the ISO 639-3 code (`deu`) and the English name (`German`) are known as well. A region may follow
/// (`pt-BR`, `pt_BR`). ASCII letters may have any case.
bool names_a_language(std::string_view text);

/// Returns a language's name in comparable form: lower case, with hyphens (`pt-br` for `pt_BR`).
std::string plain_language(std::string_view name);

}  // namespace glossa
