#pragma once

#include <span>
#include <string>

namespace glossa {

/// Corpus chrF2 (Popović 2015) from 0 to 100, as sacreBLEU defines it: n-grams of 1 to 6 code points, with white space
/// removed and recall weighted twice as much as precision. Skips n-gram orders for which either side has no n-grams.
/// Throws Error if the line counts differ.
double corpus_chrf(std::span<const std::string> hypotheses, std::span<const std::string> references,
                   bool lowercase = false);

/// Settings as a sacreBLEU signature, but with glossa's version.
std::string chrf_signature(bool lowercase = false);

}  // namespace glossa
