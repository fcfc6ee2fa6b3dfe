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
  mteval_13a,  ///< as in mteval-v13a: decodes XML entities, splits off ASCII punctuation
  none,        ///< splits at white space only
  characters,  ///< each code point is a token
  intl,        ///< as in mteval-v14: splits off punctuation and symbols of all scripts
  chinese      ///< each Chinese character is a token; other text is as in mteval_13a
};

/// Names of the tokenizers, in the order of BleuTokenizer.
inline constexpr std::initializer_list<const char*> bleu_tokenizer_names = {"13a", "none", "char", "intl", "zh"};

std::string_view name(BleuTokenizer tokenizer);

/// Returns the tokenizer with that name; empty if unknown.
std::optional<BleuTokenizer> bleu_tokenizer_of(std::string_view name);

/// Splits a line into tokens.
std::vector<std::string> bleu_tokens(BleuTokenizer tokenizer, std::string_view line);

/// Returns the usual tokenizer for `language`, a language code as in file names (`ja`, `zh_TW`, `tha`). It is `chinese`
/// for Chinese, and `characters` for Japanese, Korean, Thai, Lao, Khmer, Burmese, Tibetan and Dzongkha. For any other
/// code it is `characters` if `text` has hardly any spaces, else `mteval_13a`.
BleuTokenizer usual_bleu_tokenizer(std::string_view language, std::span<const std::string> text);

}  // namespace glossa
