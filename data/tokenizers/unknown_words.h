#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "data/tokenizers/tokenizer.h"

namespace glossa {

/// What a tokenizer reads as `<unk>` in a line, in order: words or, where a token is less than a word, characters.
std::vector<std::string> unknown_words(const Tokenizer& tokenizer, std::string_view line);

}  // namespace glossa
