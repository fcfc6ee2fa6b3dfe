#pragma once

#include <memory>
#include <string>
#include <vector>

#include "data/batch.h"
#include "data/encoded_corpus.h"
#include "data/sampler.h"
#include "train/config/config.h"

namespace glossa {

/// The tokenizers of a run; with a shared vocabulary both are the same object, but for pieces.
struct Tokenizers {
  std::shared_ptr<const Tokenizer> source, target;

  /// Whether an id is the same token on both sides.
  bool shared() const;
  std::uint64_t fingerprint() const;
};

/// Sentence pairs for training and validation.
struct Corpora {
  ParallelCorpus training;
  ParallelCorpus validation;              ///< what decides
  HeldOut split;                          ///< what data.split came to
  std::vector<ParallelCorpus> watched{};  ///< further ones of data.valid, which are validated beside it
};

/// The same as ids.
struct EncodedCorpora {
  EncodedCorpus training, validation;
  std::vector<EncodedCorpus> watched;

  /// Content hash of all, by which a run knows its data.
  std::uint64_t hash() const { return data_hash(training, validation, watched); }
};

/// The pairs that data.train and data.valid name: files, tables, translation memories or the toy corpus, those of
/// data.train one after the other; duplicates are counted, and left out where data.duplicates says so. Where data.split
/// says so, those for validation are held out of training. No pairs for validation if none are configured; the toy
/// corpus, where it is alone, brings its own.
Corpora read_corpora(const DataConfig& config, std::uint64_t seed);

/// The pairs of data.test, of the test part of data.split or, with a toy corpus for training, of its test split. Throws
/// a misuse where there are none.
ParallelCorpus read_test_corpus(const DataConfig& config, std::uint64_t seed);

/// Learns the tokenizers that the configuration asks for from the training pairs.
Tokenizers train_tokenizers(const DataConfig& config, const ParallelCorpus& corpus);

/// Whether both sides share their tokenizer: a shared vocabulary, but not of pieces, which are cut by two models.
bool one_tokenizer(const DataConfig& config);

/// Tokenizers live in the run's folder, one file each: `sentencepiece.model`, `pieces.model`, `vocabulary.txt`, or with
/// `source.` or `target.` before it where the sides differ. Error: pieces that do not share the vocabulary that the
/// configuration says they share.
void save_tokenizers(const Tokenizers& tokenizers, const DataConfig& config, const std::string& run);
Tokenizers load_tokenizers(const DataConfig& config, const std::string& run);

/// How the configuration has pairs encoded: with its prefix, special tokens and limit of length.
EncodeOptions encode_options(const DataConfig& config);

/// The pairs as ids, not for training. Throws as encode_corpus.
EncodedCorpus encode(const DataConfig& config, const ParallelCorpus& corpus, const Tokenizers& tokenizers,
                     bool may_be_empty = false);

/// The pairs to train on as ids: those that data.max_ratio leaves.
EncodedCorpus encode_training(const DataConfig& config, const ParallelCorpus& training, const Tokenizers& tokenizers);

/// All of them, validation empty where there is none.
EncodedCorpora encode_all(const DataConfig& config, const Corpora& corpora, const Tokenizers& tokenizers);

/// A cleaned line of outside text as the training text was treated: lower-cased if the run is.
std::string normalise(const DataConfig& config, std::string_view line);

// What the configuration says, in the terms of data/.
TextOptions text_options(const DataConfig& config);
SamplerOptions sampler_options(const DataConfig& config, std::uint64_t seed);
Layout layout(const DataConfig& config);

}  // namespace glossa
