#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "data/tokenizers/tokenizer.h"

namespace glossa {

/// Returns the parts of `line` that the tokenizer encodes as unk, in order. The parts are words if the tokens are
/// words, else characters.
std::vector<std::string> unknown_words(const Tokenizer& tokenizer, std::string_view line);

}  // namespace glossa
