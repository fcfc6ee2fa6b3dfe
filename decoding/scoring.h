#pragma once

#include <cstdint>
#include <vector>

#include "data/encoded_corpus.h"
#include "decoding/decoding.h"
#include "decoding/top_tokens.h"

namespace glossa {

/// The scores of a given translation by one or more models. They equal the search's scores of a hypothesis with the
/// same tokens. With DecodeOptions::renormalize, a token that the search would exclude gets its probability in the full
/// softmax.
struct ScoredTranslation {
  std::vector<TokenScore> tokens;  ///< natural log-probabilities, each given the tokens before it; </s> is last
  double score = 0;                ///< log_probability divided by the length penalty
  double log_probability = 0;      ///< log-probability of all tokens together
};

/// One scorer's share of the batches that several scorers divide among themselves.
struct ScoringShare {
  int index = 0, count = 1;  ///< this scorer handles the batches index, index + count, ...
};

/// Scores each target of a corpus given its source (teacher forcing), and returns the scores in order. Runs pairs in
/// batches of up to `max_tokens` rows. Scores have no tokens if they belong to other scorers' batches. Throws if the
/// model yields NaN.
std::vector<ScoredTranslation> score_translations(Context<float>& context, const Ensemble<float>& models,
                                                  const EncodedCorpus& corpus, const DecodeOptions& options,
                                                  std::int64_t max_tokens, const ScoringShare& share = {});

}  // namespace glossa
