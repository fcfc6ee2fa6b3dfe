#pragma once

#include <span>
#include <string>

namespace glossa {

/// Corpus TER (Snover et al. 2006): edits for each hundred words of the references, where an edit inserts, deletes or
/// replaces a word, or shifts a phrase. In the definition of sacreBLEU, which is Tercom's: lower case, words are what
/// stands between white space, the shifts are found greedily. 0 is best, and there is no worst. Unequal counts of lines
/// are an Error.
double corpus_ter(std::span<const std::string> hypotheses, std::span<const std::string> references);

/// The settings in the form of sacreBLEU, with glossa's own version.
std::string ter_signature();

}  // namespace glossa
