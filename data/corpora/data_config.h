#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "data/corpora/corpus_names.h"
#include "data/encoded_corpus.h"
#include "data/held_out.h"
#include "data/sampler.h"
#include "data/tokenizers/sentencepiece_tokenizer.h"

namespace glossa {

/// Options of corpora, vocabularies and batches: the configuration's section `data`. The option table describes each
/// member and its accepted values. The initializers are the defaults.
struct DataConfig {
  enum class Tokenizer { words, characters, sentencepiece, pieces };
  enum class Duplicates { keep, drop };

  CorpusNames train, valid;
  std::string test;
  std::optional<HeldOut> split = HeldOut{};
  std::string source = "en", target = "de";
  CorpusOptions reading;  ///< all_targets, may_be_empty and take are set for each corpus
  Tokenizer tokenizer = Tokenizer::sentencepiece;
  std::int64_t vocab_size = 8000;
  std::int64_t vocab_sentences = 500'000;
  std::int64_t min_frequency = 1;
  bool shared_vocabulary = true;
  SubwordModel sentencepiece_model = SubwordModel::bpe;
  std::string normalization = "nmt_nfkc";
  double character_coverage = 1.0;
  double bpe_dropout = 0, unigram_sampling = 0;
  EncodeOptions encoding{.max_length = 256};
  Duplicates duplicates = Duplicates::keep;
  SpecialIds specials;
  SamplerOptions batches;  ///< sampler_options sets the seed
  std::int64_t prepare_above = 100;
  std::string cache;
};

}  // namespace glossa
