#pragma once

#include <cstdint>
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

/// The part of one of several scorers, which divide the batches of a corpus among themselves.
struct ScoringShare {
  int index = 0, count = 1;  ///< this scorer scores the batches index, index + count, ...
};

/// Scores each target of a corpus given its source (teacher forcing), and returns the scores in order. Runs pairs in
/// batches of up to `max_tokens` rows. The scores of other scorers' batches have no tokens. Throws if the model yields
/// NaN.
std::vector<ScoredTranslation> score_translations(Context<float>& context, const Ensemble<float>& models,
                                                  const EncodedCorpus& corpus, const DecodeOptions& options,
                                                  std::int64_t max_tokens, const ScoringShare& share = {});

}  // namespace glossa
