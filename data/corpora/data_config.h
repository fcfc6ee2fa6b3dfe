#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "data/corpora/corpus_names.h"
#include "data/held_out.h"
#include "data/sampler.h"
#include "data/text/text_file.h"
#include "data/tokenizers/sentencepiece_tokenizer.h"

namespace glossa {

/// Options of corpora, vocabularies and batches: the section `data` of a configuration, whose option table describes
/// each member and its accepted values. The initializers are the defaults.
struct DataConfig {
  enum class Tokenizer { words, characters, sentencepiece, pieces };
  enum class Duplicates { keep, drop };

  CorpusNames train, valid;
  std::vector<std::int64_t> weights{};
  std::string test;
  std::optional<HeldOut> split = HeldOut{};
  std::string source = "en", target = "de";
  std::int64_t source_column = 0, target_column = 1;
  Tokenizer tokenizer = Tokenizer::sentencepiece;
  std::int64_t vocab_size = 8000;
  std::int64_t vocab_sentences = 500'000;
  std::int64_t min_frequency = 1;
  bool shared_vocabulary = true;
  SubwordModel sentencepiece_model = SubwordModel::bpe;
  std::string normalization = "nmt_nfkc";
  double character_coverage = 1.0;
  double bpe_dropout = 0, unigram_sampling = 0;
  bool lowercase = false;
  InvalidUtf8 invalid_utf8 = InvalidUtf8::refuse;
  std::int64_t max_line_bytes = 1048576;
  std::int64_t max_length = 256;
  double max_ratio = 0;
  Duplicates duplicates = Duplicates::keep;
  std::string source_prefix;
  bool source_bos = false, source_eos = true;
  std::int64_t unk_id = 0, pad_id = 1, bos_id = 2, eos_id = 3;
  std::int64_t max_tokens = 4096;
  BatchRule batch_rule = BatchRule::longest_side;
  Layout layout = Layout::packed;
  std::int64_t prepare_above = 100;
  std::string cache;
};

}  // namespace glossa
