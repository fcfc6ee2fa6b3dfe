#pragma once

#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace glossa {

/// sacreBLEU's tokenizers for BLEU. White space, in Python's sense, separates tokens in all of them.
enum class BleuTokenizer {
  mteval_13a,  ///< as mteval-v13a: decodes XML entities, splits off ASCII punctuation
  none,        ///< splits at white space only
  characters,  ///< each code point is a token
  intl,        ///< as mteval-v14: splits off punctuation and symbols of all scripts
  chinese      ///< each Chinese character is a token; the rest as mteval_13a
};

/// Names of the tokenizers, in the order of BleuTokenizer.
inline constexpr std::initializer_list<const char*> bleu_tokenizer_names = {"13a", "none", "char", "intl", "zh"};

std::string_view name(BleuTokenizer tokenizer);

/// The tokenizer of that name; empty if unknown.
std::optional<BleuTokenizer> bleu_tokenizer_of(std::string_view name);

/// Splits a line into tokens.
std::vector<std::string> bleu_tokens(BleuTokenizer tokenizer, std::string_view line);

/// Usual tokenizer for `language`, a language code as in file names (`ja`, `zh_TW`, `tha`): sacreBLEU's choice, but
/// `characters` if the language does not separate words by spaces. For unknown codes, returns `characters` if `text`
/// has hardly any spaces.
BleuTokenizer usual_bleu_tokenizer(std::string_view language, std::span<const std::string> text);

}  // namespace glossa
