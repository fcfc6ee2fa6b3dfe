#pragma once

#include <span>
#include <string>

namespace glossa {

/// Corpus TER (Snover et al. 2006): edits per hundred reference words, where an edit inserts, deletes or replaces a
/// word, or shifts a phrase. Defined as in sacreBLEU, which follows Tercom: lower case, words separated by white space,
/// shifts found greedily. 0 is best; there is no upper bound. Unequal line counts are an Error.
double corpus_ter(std::span<const std::string> hypotheses, std::span<const std::string> references);

/// Settings in sacreBLEU's form, with glossa's own version.
std::string ter_signature();

}  // namespace glossa
