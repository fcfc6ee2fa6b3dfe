#pragma once

#include <cstdint>
#include <vector>

#include "autograd/precision.h"

namespace glossa {

/// Divisor of log-probabilities that makes hypotheses of different lengths comparable. Lengths include </s>.
enum class LengthPenalty {
  none,   ///< 1
  power,  ///< length^alpha
  gnmt,   ///< ((5 + length) / 6)^alpha (Wu et al. 2016, section 7)
};

/// Rule that decides when a sentence's search ends and which hypotheses it returns; see Searcher.
enum class Search { glossa, huggingface };

/// Sentence score by which minimum Bayes risk decoding compares translations.
enum class MbrUtility { chrf, bleu };

/// Options of search, sampling and minimum Bayes risk decoding: the section `decode` of a configuration. The
/// initializers are the defaults.
struct DecodeOptions {
  std::int64_t beam = 1;  ///< hypotheses kept per sentence; 1 is greedy
  LengthPenalty length_penalty = LengthPenalty::power;
  double alpha = 1;

  /// A translation has at most max_length_factor * (source ids) + max_length_extra tokens, including </s>. The factor
  /// is finite and at least 0.
  double max_length_factor = 2;
  std::int64_t max_length_extra = 10;
  std::int64_t min_length = 0;  ///< minimum number of tokens, without </s>

  Search search = Search::glossa;
  std::vector<std::int64_t> forbidden{};  ///< ids of tokens that are never chosen, besides <pad> and <s>
  bool renormalize = false;               ///< true: the softmax covers allowed tokens only
  std::int64_t max_tokens = 2048;         ///< maximum of hypotheses x longest source in a batch
  bool sample = false;                    ///< true: each token is drawn from the softmax; needs a beam of 1
  double temperature = 1;                 ///< temperature of the softmax when drawing
  std::int64_t top_k = 0;                 ///< number of tokens to draw from (Fan et al. 2018); 0: all
  double top_p = 1;                       ///< probability of the nucleus (Holtzman et al. 2020); 1: all
  std::int64_t seed = 1;                  ///< seed of the draws
  std::int64_t mbr = 0;                   ///< number of samples for minimum Bayes risk decoding; 0: off
  MbrUtility mbr_utility = MbrUtility::chrf;
  std::int64_t average = 0;               ///< newest checkpoints to average for translation; 0: only the best
  Precision precision = Precision::full;  ///< precision of matrix products' factors
};

}  // namespace glossa
