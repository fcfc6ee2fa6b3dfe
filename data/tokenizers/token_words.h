#pragma once

#include <span>
#include <vector>

#include "data/tokenizers/tokenizer.h"

namespace glossa {

/// Which word of the text each token is of, counted from 0; -1 for special tokens but unk, and for a space that is a
/// token of its own. Words stand between spaces; of a token with a space in it the first word counts.
std::vector<int> words_of_tokens(const Tokenizer& tokenizer, std::span<const int> ids);

}  // namespace glossa
