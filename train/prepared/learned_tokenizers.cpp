#include "train/prepared/learned_tokenizers.h"

#include <algorithm>

#include "data/text/counted.h"
#include "train/console/print.h"
#include "train/console/progress_bar.h"

namespace glossa {

Tokenizers learn_tokenizers(const DataConfig& config, const ParallelCorpus& corpus) {
  if (config.tokenizer != DataConfig::Tokenizer::sentencepiece) return train_tokenizers(config, corpus);
  const std::int64_t used = std::min(config.vocab_sentences, std::ssize(corpus.source)), all = corpus.report.pairs;
  print_note("learning {} of at most {} subwords from {} ...\n",
             config.shared_vocabulary ? "a vocabulary" : "two vocabularies", config.vocab_size,
             used < all ? fmt::format("{} of {}", used, counted(all, "pair")) : counted(used, "pair"));
  ProgressBar bar;
  const ElapsedProgress progress(bar, "learning subwords:");
  return train_tokenizers(config, corpus);
}

}  // namespace glossa
