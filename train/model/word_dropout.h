#pragma once

#include <cstddef>
#include <cstdint>

#include "data/batch.h"
#include "data/tokenizers/vocabulary.h"

namespace glossa {

/// Applies word dropout (Bowman et al. 2016, section 3.1; here also to the source). Each token that the encoder or the
/// decoder reads becomes `<unk>` with probability p. The tokens to predict, special tokens, and the first `before_text`
/// tokens of a source stay. A draw is a function of the seed, update, sentence, pass (R-Drop has two per sentence) and
/// token position.
void drop_words(Batch& batch, double p, const SpecialIds& of_source, std::size_t before_text,
                const SpecialIds& of_target, std::uint64_t seed, std::uint64_t update);

}  // namespace glossa
