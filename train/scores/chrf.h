#pragma once

#include <span>
#include <string>

namespace glossa {

/// Corpus chrF2 (Popović 2015) from 0 to 100, in the definition of sacreBLEU: n-grams of 1 to 6 code points, white
/// space removed, recall counts twice as much as precision, and orders that one side is too short for are left out.
/// Unequal counts of lines are an Error.
double corpus_chrf(std::span<const std::string> hypotheses, std::span<const std::string> references,
                   bool lowercase = false);

/// The settings in the form of sacreBLEU, with glossa's own version.
std::string chrf_signature(bool lowercase = false);

}  // namespace glossa
