#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "train/scores/references.h"

namespace glossa {

/// Corpus TER (Snover et al. 2006): edits per hundred reference words. An edit inserts, deletes or replaces a word, or
/// shifts a phrase. Defined as in sacreBLEU, which follows Tercom: text is in lower case, white space separates words,
/// and shifts are found greedily. 0 is best; scores may exceed 100. With several references, a line has the edits of
/// the reference that needs fewest, and the mean length of all. Throws Error if the line counts differ.
double corpus_ter(std::span<const std::string> hypotheses, References references);

/// As above, with one reference.
double corpus_ter(std::span<const std::string> hypotheses, std::span<const std::string> reference);

/// The settings as a sacreBLEU signature, but with glossa's version. `references` is their reference_count.
std::string ter_signature(std::string_view references = "1");

}  // namespace glossa
