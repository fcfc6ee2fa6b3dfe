#pragma once

#include <span>
#include <string>

namespace glossa {

/// Corpus chrF2 (Popović 2015) from 0 to 100, as sacreBLEU defines it: n-grams of 1 to 6 code points, white space
/// removed, recall weighted twice as much as precision; orders that one side is too short for are skipped. Unequal line
/// counts are an Error.
double corpus_chrf(std::span<const std::string> hypotheses, std::span<const std::string> references,
                   bool lowercase = false);

/// Settings in sacreBLEU's form, with glossa's own version.
std::string chrf_signature(bool lowercase = false);

}  // namespace glossa
