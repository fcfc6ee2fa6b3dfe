#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "data/tokenizers/tokenizer.h"

namespace glossa {

/// Parts of a line that are encoded as `<unk>`, in order: words, or characters if tokens are shorter than words.
std::vector<std::string> unknown_words(const Tokenizer& tokenizer, std::string_view line);

}  // namespace glossa
