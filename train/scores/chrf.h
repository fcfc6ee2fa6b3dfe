#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "train/scores/references.h"

namespace glossa {

/// Corpus chrF2 (Popović 2015) from 0 to 100, as sacreBLEU defines it. Counts n-grams of 1 to 6 code points after
/// removing white space, and weights recall twice as much as precision. Skips an n-gram order if the hypotheses or the
/// references have no n-grams of this order. With several references, each line uses the one that gives it the best
/// chrF. Throws Error if the line counts differ.
double corpus_chrf(std::span<const std::string> hypotheses, References references, bool lowercase = false);

/// Overload for a single reference.
double corpus_chrf(std::span<const std::string> hypotheses, std::span<const std::string> reference,
                   bool lowercase = false);

/// The settings as a sacreBLEU signature, but with glossa's version. `references` is their number.
std::string chrf_signature(bool lowercase = false, std::size_t references = 1);

}  // namespace glossa
