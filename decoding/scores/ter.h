#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "decoding/scores/references.h"

namespace glossa {

/// Counts from which TER is computed. The counts of a text are the sums of its lines' counts.
struct TerCounts {
  double edits = 0;            ///< edits for the reference that needs the fewest
  double reference_words = 0;  ///< mean over the references

  TerCounts& operator+=(const TerCounts& more);
};

/// Returns the counts of each line; corpus_ter describes them. Throws Error if the line counts differ.
std::vector<TerCounts> ter_counts(std::span<const std::string> hypotheses, const References& references);

/// Returns the TER score of a text with these counts.
double ter_of(const TerCounts& counts);

/// Returns the corpus TER score (Snover et al. 2006): edits per hundred reference words. An edit inserts, deletes or
/// replaces a word, or shifts a phrase. Defined as in sacreBLEU, which follows Tercom: text is in lower case, white
/// space separates words, and shifts are found greedily. 0 is best; scores may exceed 100. With several references, a
/// line counts the edits of the reference that needs the fewest, and the mean number of words of all references. Throws
/// Error if the line counts differ.
double corpus_ter(std::span<const std::string> hypotheses, const References& references);

/// Returns the settings as a sacreBLEU signature, but with glossa's version. `references` is the number of references.
std::string ter_signature(std::size_t references = 1);

}  // namespace glossa
