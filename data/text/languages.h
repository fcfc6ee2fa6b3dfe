#pragma once

#include <span>
#include <string>
#include <string_view>

namespace glossa {

/// True if `text` names a language in the way column headers do. Every ISO 639-1 code (`de`) is known. For languages
/// that are common in corpora, the ISO 639-3 code (`deu`) and the English name (`German`) are also known. A region may
/// follow (`pt-BR`, `pt_BR`). ASCII letters may have any case.
bool names_a_language(std::string_view text);

/// Returns a language's name in comparable form: in lower case, with hyphens (`pt-br` for `pt_BR`).
std::string plain_language(std::string_view name);

/// True if two names denote the same language (`fr`, `FR`, `fra`, `French`), or if one denotes a variant of the other
/// (`fr` and `fr-FR` or `fr_CA`). False for two variants, such as `pt-BR` and `pt-PT`.
bool same_language(std::string_view a, std::string_view b);

/// True if many sentences are in the language `other` and hardly any in `language`. `least` is the minimum fraction of
/// sentences in `other`, from 0 to 1. Sentences are recognized by their script or by frequent words. In doubt, returns
/// false: for fewer than ten sentences, and for languages that look alike or are not in the table.
bool look_like_other(std::span<const std::string> sentences, std::string_view language, std::string_view other,
                     double least);

/// True if many sentences of `source` are in `target_language`, and many of `target` in `source_language`. Returns
/// false in doubt, as look_like_other does.
bool look_exchanged(std::span<const std::string> source, std::span<const std::string> target,
                    std::string_view source_language, std::string_view target_language);

}  // namespace glossa
