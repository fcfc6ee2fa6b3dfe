#pragma once

#include <cstdint>
#include <type_traits>
#include <vector>

#include "data/encoded_corpus.h"
#include "train/decoding/decoding.h"
#include "train/decoding/top_tokens.h"

namespace glossa {

/// The scores of a given translation by a model or several. They equal the scores that the search gives a hypothesis of
/// the same tokens. With DecodeOptions::renormalize, a token that the search would exclude has its share of the whole
/// softmax.
struct ScoredTranslation {
  std::vector<TokenScore> tokens;  ///< with natural log-probabilities, each given the tokens before it; </s> is last
  double score = 0;                ///< log_probability divided by the length penalty
  double log_probability = 0;      ///< of all tokens together
};

/// Scores each target of a corpus given its source (teacher forcing), and returns the scores in order. Runs pairs in
/// batches of up to `max_tokens` rows. Throws if the model yields NaN.
template <class T>
std::vector<ScoredTranslation> score_translations(Context<T>& context, const std::type_identity_t<Ensemble<T>>& models,
                                                  const EncodedCorpus& corpus, const DecodeOptions& options,
                                                  std::int64_t max_tokens);

}  // namespace glossa
