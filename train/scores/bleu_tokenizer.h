#pragma once

#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace glossa {

/// What BLEU counts: the tokenizers of sacreBLEU. White space parts tokens in all of them.
enum class BleuTokenizer {
  mteval_13a,  ///< of mteval-v13a: XML entities decoded, ASCII punctuation split off
  none,        ///< what stands between white space
  characters,  ///< each code point
  intl,        ///< of mteval-v14: punctuation and symbols of all scripts split off
  chinese      ///< each Chinese character; the rest as mteval_13a
};

/// Their names, in the same order.
inline constexpr std::initializer_list<const char*> bleu_tokenizer_names = {"13a", "none", "char", "intl", "zh"};

std::string_view name(BleuTokenizer tokenizer);

/// The tokenizer of that name; nothing if there is none.
std::optional<BleuTokenizer> bleu_tokenizer_of(std::string_view name);

/// The tokens of a line, in order.
std::vector<std::string> bleu_tokens(BleuTokenizer tokenizer, std::string_view line);

/// The tokenizer that is usual for a language, `language` being its name as files are called (`ja`, `zh_TW`, `tha`):
/// that of sacreBLEU, with characters where spaces do not part words. Where the name does not say, `text` does:
/// characters are counted where hardly any of them is a space.
BleuTokenizer usual_bleu_tokenizer(std::string_view language, std::span<const std::string> text);

}  // namespace glossa
