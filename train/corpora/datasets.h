#pragma once

#include <memory>
#include <string>
#include <vector>

#include "data/batch.h"
#include "data/encoded_corpus.h"
#include "data/sampler.h"
#include "train/config/config.h"

namespace glossa {

/// The tokenizers of a run; a shared vocabulary means one object, except with pieces.
struct Tokenizers {
  std::shared_ptr<const Tokenizer> source, target;

  /// True if an id is the same token on both sides.
  bool shared() const;
  std::uint64_t fingerprint() const;
};

/// Sentence pairs for training and validation.
struct Corpora {
  ParallelCorpus training;
  ParallelCorpus validation;              ///< decides
  HeldOut split;                          ///< data.split as applied
  std::vector<ParallelCorpus> watched{};  ///< further corpora of data.valid, validated as well
};

/// Corpora as ids.
struct EncodedCorpora {
  EncodedCorpus training, validation;
  std::vector<EncodedCorpus> watched;

  /// Content hash of all, which identifies a run's data.
  std::uint64_t hash() const { return data_hash(training, validation, watched); }
};

/// Reads the pairs of data.train and data.valid: files, tables, translation memories or the toy corpus, those of
/// data.train one after the other. Duplicates are counted, and dropped if data.duplicates asks for it. With data.split,
/// validation pairs are held out of training. No validation pairs if none are configured; the toy corpus on its own
/// brings its own.
Corpora read_corpora(const DataConfig& config, std::uint64_t seed);

/// Reads the pairs of data.test, the test part of data.split or, with a toy corpus for training, its test split. Throws
/// a misuse if none exist.
ParallelCorpus read_test_corpus(const DataConfig& config, std::uint64_t seed);

/// Trains the configured tokenizers on the training pairs.
Tokenizers train_tokenizers(const DataConfig& config, const ParallelCorpus& corpus);

/// True if both sides share their tokenizer: a shared vocabulary, but not with pieces, which are cut by two models.
bool one_tokenizer(const DataConfig& config);

/// Saves the tokenizers in the run's folder, one file each: `sentencepiece.model`, `pieces.model`, `vocabulary.txt`,
/// prefixed with `source.` or `target.` if the sides differ. Error: pieces without the shared vocabulary that the
/// configuration declares.
void save_tokenizers(const Tokenizers& tokenizers, const DataConfig& config, const std::string& run);
Tokenizers load_tokenizers(const DataConfig& config, const std::string& run);

/// Encoding options of the configuration: prefix, special tokens and length limit.
EncodeOptions encode_options(const DataConfig& config);

/// Encodes pairs, not for training. Throws as encode_corpus.
EncodedCorpus encode(const DataConfig& config, const ParallelCorpus& corpus, const Tokenizers& tokenizers,
                     bool may_be_empty = false);

/// Encodes the training pairs that data.max_ratio leaves.
EncodedCorpus encode_training(const DataConfig& config, const ParallelCorpus& training, const Tokenizers& tokenizers);

/// Encodes all corpora; validation is empty if absent.
EncodedCorpora encode_all(const DataConfig& config, const Corpora& corpora, const Tokenizers& tokenizers);

/// Treats a cleaned line of outside text like training text: lower-cased if the run is.
std::string normalize(const DataConfig& config, std::string_view line);

// The configuration in the terms of data/.
TextOptions text_options(const DataConfig& config);
SamplerOptions sampler_options(const DataConfig& config, std::uint64_t seed);
Layout layout(const DataConfig& config);

}  // namespace glossa
