#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "decoding/scores/ngram_counts.h"
#include "decoding/scores/references.h"

namespace glossa {

/// Counts from which chrF2 is computed: numbers of n-grams of 1 to 6 code points. The counts of a text are the sums of
/// its lines' counts.
struct ChrfCounts {
  std::array<double, 6> proposed{};  ///< n-grams in the hypothesis; 0 if the reference has no n-grams of this order
  std::array<double, 6> wanted{};    ///< n-grams in the reference
  std::array<double, 6> matches{};   ///< n-grams in both

  ChrfCounts& operator+=(const ChrfCounts& more);
};

/// Returns the counts of each line; corpus_chrf describes them. Throws Error if the line counts differ.
std::vector<ChrfCounts> chrf_counts(std::span<const std::string> hypotheses, const References& references,
                                    bool lowercase = false);

/// Returns the chrF2 of a text with these counts.
double chrf_of(const ChrfCounts& counts);

/// Returns the corpus chrF2 score (Popović 2015) from 0 to 100, as sacreBLEU defines it. Counts n-grams of 1 to 6 code
/// points after removing white space, and weights recall twice as much as precision. Skips an n-gram order if the
/// hypotheses or the references have no n-grams of this order. If there are several references, each line uses the one
/// with the best chrF. Throws Error if the line counts differ.
double corpus_chrf(std::span<const std::string> hypotheses, const References& references, bool lowercase = false);

/// Sentence chrF2 for all pairs of given texts. The n-grams of a text are counted once, which makes many pairs cheap.
class SentenceChrf {
 public:
  explicit SentenceChrf(std::span<const std::string> texts);

  /// Returns the score, from 0 to 100, of the text with index `hypothesis`; the text with index `reference` is the only
  /// reference. Equals sacreBLEU's sentence_chrf. An empty text has score 0 with every text, including itself.
  double operator()(std::size_t hypothesis, std::size_t reference) const;

 private:
  std::vector<NgramCounts> texts_;
};

/// Returns the settings as a sacreBLEU signature, but with glossa's version. `references` is the number of references.
std::string chrf_signature(bool lowercase = false, std::size_t references = 1);

}  // namespace glossa
