#pragma once

#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace glossa {

/// Tokenizers of BLEU, sacreBLEU's. White space separates tokens in all of them.
enum class BleuTokenizer {
  mteval_13a,  ///< of mteval-v13a: XML entities decoded, ASCII punctuation split off
  none,        ///< text between white space
  characters,  ///< each code point
  intl,        ///< of mteval-v14: punctuation and symbols of all scripts split off
  chinese      ///< each Chinese character; the rest as mteval_13a
};

/// Their names, in this order.
inline constexpr std::initializer_list<const char*> bleu_tokenizer_names = {"13a", "none", "char", "intl", "zh"};

std::string_view name(BleuTokenizer tokenizer);

/// Tokenizer of that name; empty if unknown.
std::optional<BleuTokenizer> bleu_tokenizer_of(std::string_view name);

/// Splits a line into tokens.
std::vector<std::string> bleu_tokens(BleuTokenizer tokenizer, std::string_view line);

/// Usual tokenizer of a language, `language` being its name in file names (`ja`, `zh_TW`, `tha`): sacreBLEU's, with
/// characters if spaces do not separate words. If the name is inconclusive, `text` decides: characters if hardly any of
/// them is a space.
BleuTokenizer usual_bleu_tokenizer(std::string_view language, std::span<const std::string> text);

}  // namespace glossa
