#pragma once

#include <string>
#include <vector>

#include "data/corpora/datasets.h"
#include "decoding/ensemble.h"
#include "decoding/scores/bleu.h"
#include "train/model/model_factory.h"
#include "train/processes/job.h"

namespace glossa {

/// Unsmoothed natural-log cross-entropy of a corpus: its sum, and the number of target tokens (including </s>).
struct CorpusLoss {
  double nll_sum = 0;
  std::int64_t tokens = 0;

  double per_token() const { return tokens == 0 ? 0 : nll_sum / static_cast<double>(tokens); }
};

/// Computes the loss of a corpus without dropout, batch by batch in order of length. Begins a step of `context` for
/// each batch. The processes of `job` divide the batches among themselves; all get the loss.
CorpusLoss corpus_loss(Context<float>& context, const Transformer<float>& model, const EncodedCorpus& corpus,
                       const DataConfig& config, Precision precision = Precision::full, const Job& job = Job::alone());

/// As above, for several models whose probabilities are averaged.
CorpusLoss corpus_loss(Context<float>& context, const Ensemble<float>& models, const EncodedCorpus& corpus,
                       const DataConfig& config, Precision precision = Precision::full, const Job& job = Job::alone());

/// Returns the BLEU settings of a run; the tokenizer is 13a unless the configuration sets one.
BleuOptions bleu_options(const Config& config);

/// Returns the fraction of hypotheses that equal one of their references. Throws Error if the line counts differ.
double exact_match(std::span<const std::string> hypotheses, const References& references);

}  // namespace glossa
