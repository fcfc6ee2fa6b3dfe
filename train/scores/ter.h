#pragma once

#include <span>
#include <string>

namespace glossa {

/// Corpus TER (Snover et al. 2006): edits per hundred reference words, where an edit inserts, deletes or replaces a
/// word, or shifts a phrase. Defined as in sacreBLEU, which follows Tercom: text in lower case, words separated by
/// white space, shifts found greedily. 0 is best; scores may exceed 100. Throws Error if the line counts differ.
double corpus_ter(std::span<const std::string> hypotheses, std::span<const std::string> references);

/// Settings as a sacreBLEU signature, but with glossa's version.
std::string ter_signature();

}  // namespace glossa
