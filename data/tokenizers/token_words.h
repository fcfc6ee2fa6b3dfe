#pragma once

#include <span>
#include <vector>

#include "data/tokenizers/tokenizer.h"

namespace glossa {

/// For each token, the index (from 0) of the word that it belongs to. The index is -1 for special tokens except unk,
/// and for tokens that are only a space. Spaces separate words. A token with parts of several words belongs to the
/// first of them.
std::vector<int> words_of_tokens(const Tokenizer& tokenizer, std::span<const int> ids);

}  // namespace glossa
