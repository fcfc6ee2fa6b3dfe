#pragma once

#include <span>
#include <string>

namespace glossa {

/// Corpus TER (Snover et al. 2006): edits per hundred reference words. An edit inserts, deletes or replaces a word, or
/// shifts a phrase. Defined as in sacreBLEU, which follows Tercom: text is in lower case, white space separates words,
/// and shifts are found greedily. 0 is best; scores may exceed 100. Throws Error if the line counts differ.
double corpus_ter(std::span<const std::string> hypotheses, std::span<const std::string> references);

/// The settings as a sacreBLEU signature, but with glossa's version.
std::string ter_signature();

}  // namespace glossa
