#pragma once

#include <cstdint>
#include <vector>

#include "data/encoded_corpus.h"
#include "train/decoding/decoding.h"
#include "train/decoding/top_tokens.h"

namespace glossa {

/// A model's scores of a given translation: the numbers that the search gives a hypothesis of these tokens.
struct ScoredTranslation {
  std::vector<TokenScore> tokens;  ///< each with its natural log-probability after its prefix; </s> is last
  double score = 0;                ///< log_probability under the length penalty
  double log_probability = 0;      ///< sum over the tokens
};

/// Scores a corpus's targets given its sources (teacher forcing), in order. Pairs are batched up to `max_tokens` rows.
/// Throws if the model yields NaN.
template <class T>
std::vector<ScoredTranslation> score_translations(Context<T>& context, const Transformer<T>& model,
                                                  const EncodedCorpus& corpus, const DecodeOptions& options,
                                                  std::int64_t max_tokens);

}  // namespace glossa
