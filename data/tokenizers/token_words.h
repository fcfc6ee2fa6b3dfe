#pragma once

#include <span>
#include <vector>

#include "data/tokenizers/tokenizer.h"

namespace glossa {

/// Word of the text that each token belongs to, from 0; -1 for special tokens except unk, and for a space that is a
/// token of its own. Spaces separate words; a token with a space in it counts for its first.
std::vector<int> words_of_tokens(const Tokenizer& tokenizer, std::span<const int> ids);

}  // namespace glossa
