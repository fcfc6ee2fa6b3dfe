#include "train/corpus_loss.h"

#include "decoding/scoring.h"
#include "train/model/criterion.h"

namespace glossa {

namespace {

/// Adds up `sums`, which alternates losses and token counts. Each process of `job` has computed some of these numbers
/// and has zeros in place of the others.
CorpusLoss total_of(std::vector<double>& sums, const Job& job) {
  job.merge(sums);
  CorpusLoss total;
  for (std::size_t i = 0; i < sums.size(); i += 2) {
    total.nll_sum += sums[i];
    total.tokens += static_cast<std::int64_t>(sums[i + 1]);
  }
  return total;
}

}  // namespace

CorpusLoss corpus_loss(Context<float>& context, const Transformer<float>& model, const EncodedCorpus& corpus,
                       const DataConfig& config, Precision precision, const Job& job) {
  Batch batch;
  const Batches batches = Sampler(corpus, sampler_options(config, 0)).epoch(0, false);
  std::vector<double> sums(2 * batches.size());  // loss and token count per batch; process (i mod N) computes batch i
  for (std::size_t i = job.rank(); i < batches.size(); i += job.count()) {
    fill_batch(batch, corpus, batches[i], Layout::packed);
    context.begin({.training = false, .recording = false, .precision = precision});
    const CrossEntropy<float> loss = batch_loss(context, model, batch, corpus.specials.pad, 0);
    sums[2 * i] = loss.nll_sum;
    sums[2 * i + 1] = static_cast<double>(loss.count);
  }
  return total_of(sums, job);
}

CorpusLoss corpus_loss(Context<float>& context, const Ensemble<float>& models, const EncodedCorpus& corpus,
                       const DataConfig& config, Precision precision, const Job& job) {
  const std::vector<ScoredTranslation> scores = score_translations(
      context, models, corpus, {.precision = precision}, config.batches.max_tokens, {job.rank(), job.count()});
  std::vector<double> sums;  // loss and token count of each pair
  for (const ScoredTranslation& scored : scores) {
    sums.push_back(-scored.log_probability);
    sums.push_back(static_cast<double>(scored.tokens.size()));
  }
  return total_of(sums, job);
}

BleuOptions bleu_options(const Config& config) {
  return {.lowercase = config.data.reading.lowercase,  // the text is already lowercase; this only sets the signature
          .tokenizer = config.train.bleu_tokenize.value_or(BleuOptions().tokenizer)};
}

double exact_match(std::span<const std::string> hypotheses, const References& references) {
  check_references("exact match", hypotheses.size(), references);
  std::size_t equal = 0;
  for (std::size_t i = 0; i < hypotheses.size(); ++i)
    equal += std::ranges::any_of(references, [&](const auto& reference) { return reference[i] == hypotheses[i]; });
  return hypotheses.empty() ? 0 : static_cast<double>(equal) / static_cast<double>(hypotheses.size());
}

}  // namespace glossa
