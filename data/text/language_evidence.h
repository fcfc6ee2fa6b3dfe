#pragma once

#include <span>
#include <string>
#include <string_view>

namespace glossa {

/// True if two names mean the same language (`fr`, `FR`, `fra`, `French`), or if one means a variant of the other (`fr`
/// and `fr-FR` or `fr_CA`). False for two variants, such as `pt-BR` and `pt-PT`.
bool same_language(std::string_view a, std::string_view b);

/// True if many sentences are in the language `other`, and hardly any in `language`. `least` is the minimum share of
/// sentences in `other`, from 0 to 1. Sentences are recognized by their script or by frequent words. False in doubt:
/// for languages that are not in the table or look alike, and for fewer than ten sentences.
bool look_like_other(std::span<const std::string> sentences, std::string_view language, std::string_view other,
                     double least);

/// True if many sentences of `source` are in the language `target_language`, and many of `target` in `source_language`.
/// False in doubt, for the reasons given at look_like_other.
bool look_exchanged(std::span<const std::string> source, std::span<const std::string> target,
                    std::string_view source_language, std::string_view target_language);

}  // namespace glossa
