#include "data/corpora/datasets.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "base/check.h"
#include "base/random.h"
#include "data/corpora/text_memory.h"
#include "data/found_corpora.h"
#include "data/pair_hashes.h"
#include "data/text/utf8.h"
#include "data/tmx_corpus.h"
#include "data/tokenizers/sentencepiece_tokenizer.h"
#include "data/tokenizers/vocabulary_tokenizer.h"
#include "data/toy/corpus.h"

namespace glossa {

namespace {

bool english_first(const DataConfig& config, std::string_view key) {
  if (config.source == "en" && config.target == "hi") return true;
  if (config.source == "hi" && config.target == "en") return false;
  misuse(key, "expected data.source and data.target to be en and hi for the toy corpus; got {} and {}", config.source,
         config.target);
}

/// Cache of the latest toy corpus. Building one takes a second, and its other splits may be needed next.
class ToyCorpora {
 public:
  ToyCorpora(const DataConfig& config, std::uint64_t seed) : config_(config), seed_(seed) {}

  /// Returns a split of the toy corpus `name`, the value of the option `key`.
  ParallelCorpus get(const char* key, const std::string& name, std::vector<ToyPair> ToySplits::*split) {
    const bool forwards = english_first(config_, key);
    const std::int64_t pairs = toy_pairs(key, name).value();
    if (std::exchange(built_, pairs) != pairs) splits_ = toy_corpus(pairs, seed_, key);
    ParallelCorpus corpus;
    corpus.name = corpus.source_name = corpus.target_name = name;
    for (const ToyPair& pair : splits_.*split) {
      corpus.source.push_back(forwards ? pair.english : pair.hindi);
      corpus.target.push_back(forwards ? pair.hindi : pair.english);
    }
    corpus.report.lines = corpus.report.pairs = std::ssize(splits_.*split);
    return corpus;
  }

 private:
  const DataConfig& config_;
  std::uint64_t seed_;
  std::int64_t built_ = 0;
  ToySplits splits_;
};

ParallelCorpus read_at(const std::string& location, const DataConfig& config, bool all_targets, bool may_be_empty,
                       const TakeBlock& take) {
  CorpusOptions options = config.reading;
  if (!take) options.text.max_bytes = max_text_bytes(config);
  options.all_targets = all_targets;
  options.may_be_empty = may_be_empty;
  if (take) options.take = &take;
  if (is_translation_memory(location)) return read_tmx(location, config.source, config.target, options);
  if (is_table(location)) return read_tsv(location, config.source, config.target, options);
  side_of(location, config.source, "data.source");  // names the option if a language is mistyped
  side_of(location, config.target, "data.target");
  return read_parallel(location, config.source, config.target, options);
}

/// A corpus other than the toy corpus.
struct FoundCorpus {
  std::string name;  // name in the configuration, for logs and metrics
  std::string location;
  bool is_only = true;  // false: one of several corpora, any of which may be empty
};

/// Finds the corpora that one name in the configuration denotes. Adds files that are not corpora to `ignored`.
std::vector<FoundCorpus> find(const DataConfig& config, const std::string& name, const CorpusPlaces& places,
                              std::vector<std::string>* ignored = nullptr) {
  const std::string location = places.find(name, config);
  if (!names_several(location, config.source, config.target)) return {{.name = name, .location = location}};
  std::vector<FoundCorpus> all;
  const auto [locations, others] = find_corpora(location, config.source, config.target);
  for (const std::string& found : locations)
    all.push_back({.name = found.starts_with(location) ? name + found.substr(location.size()) : found,
                   .location = found,
                   .is_only = locations.size() == 1});
  if (ignored) ignored->insert(ignored->end(), others.begin(), others.end());
  return all;
}

ParallelCorpus read(const DataConfig& config, const FoundCorpus& found, bool all_targets = false,
                    const TakeBlock& take = {}) {
  ParallelCorpus corpus = read_at(found.location, config, all_targets, !found.is_only, take);
  corpus.name.replace(0, found.location.size(), found.name);
  return corpus;
}

/// Reads the corpora that a name denotes, as one corpus.
ParallelCorpus read_files(const DataConfig& config, const std::string& name, const CorpusPlaces& places,
                          bool all_targets = false) {
  const std::vector<FoundCorpus> found = find(config, name, places);
  if (found.size() == 1) return read(config, found.front(), all_targets);
  std::vector<ParallelCorpus> corpora;
  for (const FoundCorpus& corpus : found) corpora.push_back(read(config, corpus, all_targets));
  ParallelCorpus all = joined(std::move(corpora), name);
  check_any_pair(all.name, all.report);
  return all;
}

/// Numbers of pairs that data.split holds out, as configured or by the rule of `auto`.
HeldOut split_of(const DataConfig& config, const ParallelCorpus& corpus) {
  return config.split ? *config.split : usual_split(different_sources(corpus), config);
}

std::unique_ptr<Tokenizer> train_tokenizer(const DataConfig& config, std::span<const std::string> sentences) {
  const VocabularyOptions vocabulary{.specials = config.specials,
                                     .min_frequency = config.min_frequency,
                                     .max_size = static_cast<int>(config.vocab_size)};
  switch (config.tokenizer) {
    case DataConfig::Tokenizer::words:
      return train_word_tokenizer(sentences, vocabulary);
    case DataConfig::Tokenizer::characters:
      return train_character_tokenizer(sentences, vocabulary);
    case DataConfig::Tokenizer::pieces:
      misuse("data.tokenizer",
             "expected words, characters or sentencepiece, which are learned from a corpus; got pieces, which come "
             "with a pretrained model. Hint: name its run as train.warm_start");
    case DataConfig::Tokenizer::sentencepiece:
      break;
  }
  return train_sentencepiece(sentences, {.model = config.sentencepiece_model,
                                         .vocabulary_size = static_cast<int>(config.vocab_size),
                                         .character_coverage = config.character_coverage,
                                         .normalization = config.normalization,
                                         .specials = config.specials});
}

std::string tokenizer_file(const DataConfig& config, const std::string& run, const std::string& side) {
  const char* const name = config.tokenizer == DataConfig::Tokenizer::sentencepiece ? "sentencepiece.model"
                           : config.tokenizer == DataConfig::Tokenizer::pieces      ? "pieces.model"
                                                                                    : "vocabulary.txt";
  return std::filesystem::path(run) / (side + name);
}

}  // namespace

DataConfig located(DataConfig config, const CorpusPlaces& places) {
  const auto locate = [&](const char* key, CorpusNames& names) {
    std::vector<std::string> paths;
    for (const std::string& name : names)
      if (toy_pairs(key, name))
        paths.push_back(name);
      else
        for (const FoundCorpus& corpus : find(config, name, places)) paths.push_back(corpus.location);
    names = paths;
  };
  locate("data.train", config.train);
  locate("data.valid", config.valid);
  return config;
}

std::vector<std::int64_t> pairs_in_training(const Corpora& corpora, std::span<const ParallelCorpus* const> parts) {
  if (!corpora.prepared.empty()) return shared_pairs(corpora.prepared, parts);
  return shared_pairs(hashes_of(corpora.training), parts);
}

HeldOut usual_split(std::int64_t different_sources, const DataConfig& config) {
  if (!config.valid.empty() || toy_pairs_alone("data.train", config.train)) return {};
  const std::int64_t part = std::min<std::int64_t>(most_held_out, (different_sources + 19) / 20);
  return {.valid = part, .test = config.test.empty() ? part : 0};
}

bool Tokenizers::shared() const {
  if (source == target) return true;
  if (source->specials() != target->specials() || source->vocabulary_size() != target->vocabulary_size()) return false;
  for (int id = 0; id < source->vocabulary_size(); ++id)
    if (source->token(id) != target->token(id)) return false;
  return true;
}

bool one_tokenizer(const DataConfig& config) {
  return config.shared_vocabulary && config.tokenizer != DataConfig::Tokenizer::pieces;
}

std::uint64_t Tokenizers::fingerprint() const { return mix64(source->fingerprint()) ^ target->fingerprint(); }

SamplerOptions sampler_options(const DataConfig& config, std::uint64_t seed) {
  SamplerOptions options = training_sampler_options(config, seed);
  options.weights.clear();
  return options;
}

SamplerOptions training_sampler_options(const DataConfig& config, std::uint64_t seed) {
  SamplerOptions options = config.batches;
  options.seed = seed;
  return options;
}

namespace {

ParallelCorpus read_training(const DataConfig& config, ToyCorpora& toys, const CorpusPlaces& places,
                             const TakeTraining& take = {}) {
  std::vector<ParallelCorpus> corpora;
  std::vector<std::uint32_t> groups;
  TakeBlock take_block;
  if (take) take_block = [&](const ParallelCorpus& block) { take(block, static_cast<std::uint32_t>(corpora.size())); };
  for (std::uint32_t group = 0; const std::string& name : config.train) {
    if (toy_pairs("data.train", name)) {
      ParallelCorpus corpus = toys.get("data.train", name, &ToySplits::train);
      if (take) {
        take_block(corpus);
        corpus.source = corpus.target = {};
      }
      corpora.push_back(std::move(corpus));
    } else {
      for (const FoundCorpus& found : find(config, name, places))
        corpora.push_back(read(config, found, /*all_targets=*/false, take_block));
    }
    CorpusReport of_name;
    for (std::size_t i = groups.size(); i < corpora.size(); ++i) of_name += corpora[i].report;
    check_any_pair(name, of_name);
    groups.resize(corpora.size(), group++);
  }
  return joined(std::move(corpora), config.train.text(), groups);
}

}  // namespace

ParallelCorpus read_training(const DataConfig& config, std::uint64_t seed, const CorpusPlaces& places,
                             const TakeTraining& take) {
  ToyCorpora toys(config, seed);
  return read_training(config, toys, places, take);
}

std::vector<std::string> ignored_files(const DataConfig& config, const CorpusPlaces& places) {
  std::vector<std::string> ignored;
  for (const std::string& name : config.train)
    if (!toy_pairs("data.train", name)) find(config, name, places, &ignored);
  for (const std::string& name : config.valid)
    if (!toy_pairs("data.valid", name)) find(config, name, places, &ignored);
  return ignored;
}

Corpora read_corpora(const DataConfig& config, std::uint64_t seed, const CorpusPlaces& places,
                     const PreparedTraining* prepared) {
  DataConfig to_read = config;
  if (prepared) to_read.train.clear();
  check_text_fits(located(to_read, places));
  ToyCorpora toys(config, seed);
  Corpora corpora{
      .training = prepared ? prepared->sample : read_training(config, toys, places), .validation = {}, .split = {}};
  for (const std::string& name : config.valid) {
    ParallelCorpus corpus = toy_pairs("data.valid", name) ? toys.get("data.valid", name, &ToySplits::valid)
                                                          : read_files(config, name, places);
    if (name == config.valid.front())
      corpora.validation = std::move(corpus);
    else
      corpora.watched.push_back(std::move(corpus));
  }
  if (config.valid.empty() && toy_pairs_alone("data.train", config.train))
    corpora.validation = toys.get("data.train", config.train.front(), &ToySplits::valid);
  if (prepared) {
    corpora.split = prepared->split;
    if (corpora.split.valid > 0) corpora.validation = prepared->validation;
    return corpora;
  }
  corpora.training = count_duplicates(std::move(corpora.training), config.duplicates == DataConfig::Duplicates::drop);
  corpora.split = split_of(config, corpora.training);
  if (corpora.split.pairs() == 0) return corpora;
  SplitCorpus parts = hold_out(std::move(corpora.training), corpora.split, "data.split");
  corpora.training = std::move(parts.training);
  if (corpora.split.valid > 0) corpora.validation = std::move(parts.validation);
  return corpora;
}

/// Rereads the pairs of data.train, including those held out.
ParallelCorpus read_whole_training(const DataConfig& config, std::uint64_t seed, const CorpusPlaces& places) {
  DataConfig whole = config;
  whole.split = HeldOut{};
  whole.valid.clear();
  return read_corpora(whole, seed, places).training;
}

ParallelCorpus read_test_corpus(const DataConfig& config, std::uint64_t seed, const CorpusPlaces& places,
                                const PreparedTraining* prepared) {
  ToyCorpora toys(config, seed);
  if (!config.test.empty())
    return toy_pairs("data.test", config.test) ? toys.get("data.test", config.test, &ToySplits::test)
                                               : read_files(config, config.test, places, true);
  if (toy_pairs_alone("data.train", config.train))
    return toys.get("data.train", config.train.front(), &ToySplits::test);
  if (prepared && prepared->split.test > 0) return prepared->test;
  if (!prepared && (!config.split || config.split->test > 0)) {
    ParallelCorpus corpus = read_whole_training(config, seed, places);
    const HeldOut split = split_of(config, corpus);
    if (split.test > 0) return hold_out(std::move(corpus), split, "data.split").test;
  }
  misuse("data.test",
         "expected a test corpus, or a data.split that holds one out; got neither. Hint: name one with --test");
}

Tokenizers train_tokenizers(const DataConfig& config, const ParallelCorpus& corpus) {
  const auto most = static_cast<std::size_t>(config.vocab_sentences);
  const std::vector<std::size_t> sample = pair_sample(hashes_of(corpus), most);
  std::vector<std::string> sources, targets;
  for (const std::size_t pair : sample)
    sources.push_back(with_prefix(config.encoding.source_prefix, corpus.source[pair]));
  for (const std::size_t pair : sample) (config.shared_vocabulary ? sources : targets).push_back(corpus.target[pair]);
  if (!config.shared_vocabulary) return {train_tokenizer(config, sources), train_tokenizer(config, targets)};
  const std::shared_ptr<const Tokenizer> tokenizer = train_tokenizer(config, sources);
  return {tokenizer, tokenizer};
}

void save_tokenizers(const Tokenizers& tokenizers, const DataConfig& config, const std::string& run) {
  if (one_tokenizer(config)) return tokenizers.source->save(tokenizer_file(config, run, ""));
  tokenizers.source->save(tokenizer_file(config, run, "source."));
  tokenizers.target->save(tokenizer_file(config, run, "target."));
}

Tokenizers load_tokenizers(const DataConfig& config, const std::string& run) {
  if (one_tokenizer(config)) {
    const std::shared_ptr<const Tokenizer> tokenizer = load_tokenizer(tokenizer_file(config, run, ""));
    return {tokenizer, tokenizer};
  }
  const std::string target = tokenizer_file(config, run, "target.");
  const Tokenizers both{load_tokenizer(tokenizer_file(config, run, "source.")), load_tokenizer(target)};
  check(!config.shared_vocabulary || both.shared(), target,
        "expected the source's vocabulary, as data.shared_vocabulary is true; got another");
  return both;
}

EncodedCorpus encode(const DataConfig& config, const ParallelCorpus& corpus, const Tokenizers& tokenizers,
                     bool may_be_empty) {
  EncodeOptions options = config.encoding;
  options.max_ratio = 0;
  options.may_be_empty = may_be_empty;
  return encode_corpus(corpus, *tokenizers.source, *tokenizers.target, options);
}

EncodedCorpus encode_training(const DataConfig& config, const ParallelCorpus& training, const Tokenizers& tokenizers) {
  return encode_corpus(training, *tokenizers.source, *tokenizers.target, config.encoding);
}

EncodedCorpora encode_all(const DataConfig& config, const Corpora& corpora, const Tokenizers& tokenizers) {
  EncodedCorpora encoded{
      .training = encode_training(config, corpora.training, tokenizers), .validation = {}, .watched = {}};
  if (!corpora.validation.source.empty()) encoded.validation = encode(config, corpora.validation, tokenizers);
  for (const ParallelCorpus& corpus : corpora.watched) encoded.watched.push_back(encode(config, corpus, tokenizers));
  return encoded;
}

std::string normalize(const DataConfig& config, std::string_view line) {
  return config.reading.lowercase ? utf8::lower_case(line) : std::string(line);
}

}  // namespace glossa
