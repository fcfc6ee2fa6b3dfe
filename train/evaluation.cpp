#include "train/evaluation.h"

#include <cmath>

#include "train/model/criterion.h"

namespace glossa {

CorpusLoss corpus_loss(Context<float>& context, const Transformer<float>& model, const EncodedCorpus& corpus,
                       const DataConfig& config) {
  Batch batch;
  BatchRows rows;
  CorpusLoss total;
  for (const std::vector<int>& indices : Sampler(corpus, sampler_options(config, 0)).epoch(0, false)) {
    fill_batch(batch, corpus, indices, layout(config));
    rows.assign(batch);
    context.begin({.training = false, .recording = false});
    const CrossEntropy<float> loss = batch_loss(context, model, batch, rows, corpus.specials.pad, 0);
    total.nll_sum += loss.nll_sum;
    total.tokens += loss.count;
  }
  return total;
}

double perplexity(double loss) { return std::exp(loss); }

BleuOptions bleu_options(const Config& config) {
  return {.lowercase = config.data.lowercase,  // the text is: the signature says so
          .tokenizer = config.train.bleu_tokenize.value_or(BleuOptions().tokenizer)};
}

double exact_match(std::span<const std::string> hypotheses, std::span<const std::string> references) {
  std::size_t equal = 0;
  for (std::size_t i = 0; i < hypotheses.size(); ++i) equal += hypotheses[i] == references[i];
  return hypotheses.empty() ? 0 : static_cast<double>(equal) / static_cast<double>(hypotheses.size());
}

}  // namespace glossa
