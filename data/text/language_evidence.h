#pragma once

#include <span>
#include <string>
#include <string_view>

namespace glossa {

/// True if two names mean one language or a variant of it: `fr`, `FR`, `fra`, `French`, and `fr` and `fr-FR` or
/// `fr_CA`; but not `pt-BR` and `pt-PT`.
bool same_language(std::string_view a, std::string_view b);

/// True if most sentences of `source` are in the language `target_language` and those of `target` in
/// `source_language`. Sentences are recognized by their script or by frequent words. False in doubt: for languages that
/// are not in the table or look alike, and for fewer than ten sentences.
bool look_exchanged(std::span<const std::string> source, std::span<const std::string> target,
                    std::string_view source_language, std::string_view target_language);

}  // namespace glossa
