#pragma once

#include <span>
#include <string>

namespace glossa {

/// Corpus chrF2 (Popović 2015) from 0 to 100, as sacreBLEU defines it. Counts n-grams of 1 to 6 code points after
/// removing white space, and weights recall twice as much as precision. Skips an n-gram order if the hypotheses or the
/// references have no n-grams of this order. Throws Error if the line counts differ.
double corpus_chrf(std::span<const std::string> hypotheses, std::span<const std::string> references,
                   bool lowercase = false);

/// The settings as a sacreBLEU signature, but with glossa's version.
std::string chrf_signature(bool lowercase = false);

}  // namespace glossa
