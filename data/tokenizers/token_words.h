#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "data/tokenizers/tokenizer.h"

namespace glossa {

/// For each token, the index (from 0) of its word. The index is -1 for special tokens except unk, and for tokens that
/// are only a space. Spaces separate words. A token with parts of several words belongs to the first of them.
std::vector<int> words_of_tokens(const Tokenizer& tokenizer, std::span<const int> ids);

/// Returns the parts of `line` that the tokenizer encodes as unk, in order: words if the tokens are words, otherwise
/// characters.
std::vector<std::string> unknown_words(const Tokenizer& tokenizer, std::string_view line);

}  // namespace glossa
