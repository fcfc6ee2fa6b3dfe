#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "data/batch.h"
#include "data/corpora/corpus_places.h"
#include "data/corpora/data_config.h"
#include "data/encoded_corpus.h"
#include "data/sampler.h"

namespace glossa {

/// The tokenizers of a run. Source and target are the same object if one_tokenizer(config) is true.
struct Tokenizers {
  std::shared_ptr<const Tokenizer> source, target;

  /// True if each id denotes the same token on both sides.
  bool shared() const;
  std::uint64_t fingerprint() const;
};

/// Sentence pairs for training and validation.
struct Corpora {
  ParallelCorpus training;
  ParallelCorpus validation;                  ///< selects the best checkpoint
  HeldOut split;                              ///< numbers of pairs that data.split holds out
  std::vector<ParallelCorpus> watched{};      ///< further corpora of data.valid, also validated
  std::span<const std::uint64_t> prepared{};  ///< hashes of all training pairs if `training` is only a sample
};

/// Corpora as token ids.
struct EncodedCorpora {
  EncodedCorpus training, validation;
  std::vector<EncodedCorpus> watched;

  /// Content hash of all corpora, which identifies a run's data.
  std::uint64_t hash() const { return data_hash(training, validation, watched); }
};

/// For each of `parts`, the number of its pairs that are also training pairs.
std::vector<std::int64_t> pairs_in_training(const Corpora& corpora, std::span<const ParallelCorpus* const> parts);

/// Training pairs that were already read, encoded and stored in files. `sample` has some of the pairs; its report
/// counts all of them.
struct PreparedTraining {
  ParallelCorpus sample;
  HeldOut split;                    ///< numbers of pairs that data.split holds out
  ParallelCorpus validation, test;  ///< the pairs that data.split holds out
};

/// Reads the pairs of data.train and data.valid: files, tables, translation memories or the toy corpus. The corpora of
/// data.train are concatenated. Duplicates are counted; they are dropped if data.duplicates is `drop`. With data.split,
/// validation pairs are held out of training. With neither data.split nor data.valid, validation is empty. Exception:
/// if data.train is only the toy corpus, validation is the toy corpus's own validation pairs. Looks up names of corpora
/// in `places`. If `prepared` is set, reads only data.valid.
Corpora read_corpora(const DataConfig& config, std::uint64_t seed, const CorpusPlaces& places = {},
                     const PreparedTraining* prepared = nullptr);

/// Returns the configuration with each name replaced by the paths of the training and validation corpora that it
/// denotes.
DataConfig located(DataConfig config, const CorpusPlaces& places);

/// Rule of `auto` for data.split, and its limits. For validation, holds out a twentieth of the different source
/// sentences, at most 1000. Holds out as many again for testing, unless data.test is set. All translations of a
/// sentence are held out together. Holds out nothing if data.valid is set or data.train is only the toy corpus.
constexpr std::int64_t most_held_out = 1000, most_sources_that_matter = 20 * most_held_out;
HeldOut usual_split(std::int64_t different_sources, const DataConfig& config);

/// Callback for a block of data.train's pairs and the index of its corpus in ParallelCorpus::parts.
using TakeTraining = std::function<void(const ParallelCorpus& block, std::uint32_t part)>;

/// Reads data.train, including duplicates and pairs to hold out. If `take` is set, passes the pairs to it in blocks, so
/// that memory need not hold all of them, and returns the corpus without pairs.
ParallelCorpus read_training(const DataConfig& config, std::uint64_t seed, const CorpusPlaces& places,
                             const TakeTraining& take = {});

/// Files in the folders, archives and patterns of data.train and data.valid that belong to no corpus of the two
/// languages.
std::vector<std::string> ignored_files(const DataConfig& config, const CorpusPlaces& places);

/// Reads the test pairs, from data.test if it is set. Otherwise reads the toy corpus's test split, if data.train is
/// only the toy corpus, or the test part of data.split. Throws a misuse error if none of these exists. If `prepared` is
/// set, returns its test pairs instead of reading data.train.
ParallelCorpus read_test_corpus(const DataConfig& config, std::uint64_t seed, const CorpusPlaces& places = {},
                                const PreparedTraining* prepared = nullptr);

/// Trains the configured tokenizers on the training pairs.
Tokenizers train_tokenizers(const DataConfig& config, const ParallelCorpus& corpus);

/// True if both sides share a tokenizer: they share the vocabulary, and the tokenizer is not `pieces`, which has one
/// model per side.
bool one_tokenizer(const DataConfig& config);

/// Saves the tokenizers in the run's folder, one file each: `sentencepiece.model`, `pieces.model`, `vocabulary.txt`,
/// prefixed with `source.` or `target.` if the sides differ.
void save_tokenizers(const Tokenizers& tokenizers, const DataConfig& config, const std::string& run);
/// Loads the run's tokenizers. Throws if data.shared_vocabulary is true but the vocabularies of source and target
/// differ.
Tokenizers load_tokenizers(const DataConfig& config, const std::string& run);

/// Encodes pairs for validation or testing, without applying data.max_ratio. Throws like encode_corpus.
EncodedCorpus encode(const DataConfig& config, const ParallelCorpus& corpus, const Tokenizers& tokenizers,
                     bool may_be_empty = false);

/// Encodes the training pairs that satisfy data.max_ratio.
EncodedCorpus encode_training(const DataConfig& config, const ParallelCorpus& training, const Tokenizers& tokenizers);

/// Encodes all corpora; without validation pairs, the encoded validation corpus is empty.
EncodedCorpora encode_all(const DataConfig& config, const Corpora& corpora, const Tokenizers& tokenizers);

/// Converts a clean line of text as the training text is converted: to lower case if data.lowercase is set.
std::string normalize(const DataConfig& config, std::string_view line);

/// Options of a sampler for validation (without data.weights) and for training.
SamplerOptions sampler_options(const DataConfig& config, std::uint64_t seed);
SamplerOptions training_sampler_options(const DataConfig& config, std::uint64_t seed);

}  // namespace glossa
