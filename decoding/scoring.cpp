#include "decoding/scoring.h"

#include <algorithm>

#include "data/batch.h"
#include "data/sampler.h"

namespace glossa {

namespace {

/// Returns the log-probability of each token in its row of logits. With `renormalize`, the softmax omits the tokens
/// that a search would exclude, unless the scored token is one of them.
std::vector<TokenScore> scores_of(const Tensor<const float>& logits, const RowSpan& rows, std::span<const int> tokens,
                                  const ExcludedTokens& excluded, bool renormalize) {
  std::vector<TokenScore> scores;
  for (Index k = 0; k < rows.length; ++k) {
    const float* const row = logits.row(rows.offset + k);
    const int token = tokens[rows.offset + k];
    std::span<const int> left_out = excluded.at(k + 1);
    if (!renormalize || std::ranges::binary_search(left_out, token)) left_out = {};
    scores.push_back({static_cast<double>(row[token]) - log_sum_exp_without(row, logits.cols(), left_out), token});
  }
  check_probabilities(scores);
  return scores;
}

}  // namespace

std::vector<ScoredTranslation> score_translations(Context<float>& context, const Ensemble<float>& models,
                                                  const EncodedCorpus& corpus, const DecodeOptions& options,
                                                  std::int64_t max_tokens, const ScoringShare& share) {
  std::vector<ScoredTranslation> results(static_cast<std::size_t>(corpus.size()));
  if (results.empty()) return results;
  // All logits of a batch are in memory. A batch is limited to 16 M logits, unless a single pair has more.
  const std::int64_t fitting = (std::int64_t{1} << 24) / models.vocabulary();
  const Sampler sampler(corpus, {.max_tokens = std::clamp<std::int64_t>(fitting, 1, max_tokens)});
  const ExcludedTokens excluded(options, corpus.specials, models.vocabulary());
  Batch batch;
  const Batches batches = sampler.epoch(0, false);
  for (std::size_t k = share.index; k < batches.size(); k += share.count) {
    fill_batch(batch, corpus, batches[k], Layout::packed);
    context.begin({.training = false, .recording = false, .precision = options.precision});
    const Ensemble<float>::States states =
        models.states(context, batch.source, batch.source_layout(), batch.target_in, batch.target_layout());
    const Tensor<const float> logits = models.project(states).value();
    for (std::size_t i = 0; i < batch.target_spans.size(); ++i) {
      ScoredTranslation& result = results[batch.sentence_ids[i]];
      result.tokens = scores_of(logits, batch.target_spans[i], batch.target_out, excluded, options.renormalize);
      for (const TokenScore& token : result.tokens) result.log_probability += token.log_probability;
      result.score = penalized(result.log_probability, std::ssize(result.tokens), options);
    }
  }
  return results;
}

}  // namespace glossa
