#include "train/corpora/datasets.h"

#include <algorithm>
#include <filesystem>

#include "base/check.h"
#include "base/random.h"
#include "data/pair_sample.h"
#include "data/shared_pairs.h"
#include "data/text/counted.h"
#include "data/text/utf8.h"
#include "data/tmx_corpus.h"
#include "data/tokenizers/character_tokenizer.h"
#include "data/tokenizers/sentencepiece_tokenizer.h"
#include "data/tokenizers/word_tokenizer.h"
#include "data/toy/corpus.h"
#include "train/console/print.h"
#include "train/console/progress_bar.h"
#include "train/corpora/text_memory.h"

namespace glossa {

namespace {

SpecialIds specials(const DataConfig& config) {
  return {static_cast<int>(config.unk_id), static_cast<int>(config.pad_id), static_cast<int>(config.bos_id),
          static_cast<int>(config.eos_id)};
}

ParallelCorpus from_toy(std::string name, const std::vector<ToyPair>& pairs, bool english_first) {
  ParallelCorpus corpus;
  corpus.name = corpus.source_name = corpus.target_name = std::move(name);
  for (const ToyPair& pair : pairs) {
    corpus.source.push_back(english_first ? pair.english : pair.hindi);
    corpus.target.push_back(english_first ? pair.hindi : pair.english);
  }
  corpus.report.lines = corpus.report.pairs = static_cast<std::int64_t>(pairs.size());
  return corpus;
}

bool english_first(const DataConfig& config, std::string_view key) {
  if (config.source == "en" && config.target == "hi") return true;
  if (config.source == "hi" && config.target == "en") return false;
  misuse(key, "expected data.source and data.target to be en and hi for the toy corpus; got {} and {}", config.source,
         config.target);
}

ParallelCorpus read_at(const std::string& location, const DataConfig& config, bool all_targets, TakeBlock take) {
  TextOptions text = text_options(config);
  if (!take) text.max_bytes = max_text_bytes(config);
  const CorpusOptions options{.text = text,
                              .lowercase = config.lowercase,
                              .source_column = static_cast<int>(config.source_column),
                              .target_column = static_cast<int>(config.target_column),
                              .all_targets = all_targets,
                              .take = std::move(take)};
  if (is_translation_memory(location)) return read_tmx(location, config.source, config.target, options);
  if (is_table(location)) return read_tsv(location, config.source, config.target, options);
  side_of(location, config.source, "data.source");  // throws naming the option if a language is mistyped
  side_of(location, config.target, "data.target");
  return read_parallel(location, config.source, config.target, options);
}

/// Reads a corpus that is not the toy corpus. Its name in logs and metrics is the configuration's.
ParallelCorpus read_files(const DataConfig& config, const std::string& name, const CorpusPlaces& places,
                          bool all_targets = false, TakeBlock take = {}) {
  const std::string location = places.find(name, config);
  ParallelCorpus corpus = read_at(location, config, all_targets, std::move(take));
  corpus.name.replace(0, location.size(), name);
  return corpus;
}

/// Numbers of pairs for data.split to hold out, as configured or by the rule of `auto`.
HeldOut split_of(const DataConfig& config, const ParallelCorpus& corpus) {
  return config.split ? *config.split : usual_split(different_sources(corpus), config);
}

std::unique_ptr<Tokenizer> train_tokenizer(const DataConfig& config, std::span<const std::string> sentences) {
  const VocabularyOptions vocabulary{.specials = specials(config),
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
  const bool bpe = config.sentencepiece_model == DataConfig::SentencepieceModel::bpe;
  return train_sentencepiece(sentences, {.model = bpe ? SubwordModel::bpe : SubwordModel::unigram,
                                         .vocabulary_size = static_cast<int>(config.vocab_size),
                                         .character_coverage = config.character_coverage,
                                         .normalization = config.normalization,
                                         .specials = specials(config)});
}

std::string tokenizer_file(const DataConfig& config, const std::string& run, const std::string& side) {
  const auto name = [&] {
    switch (config.tokenizer) {
      case DataConfig::Tokenizer::sentencepiece:
        return "sentencepiece.model";
      case DataConfig::Tokenizer::pieces:
        return "pieces.model";
      default:
        return "vocabulary.txt";
    }
  };
  return std::filesystem::path(run) / (side + name());
}

}  // namespace

DataConfig located(DataConfig config, const CorpusPlaces& places) {
  const auto locate = [&](const char* key, CorpusNames& names) {
    std::vector<std::string> paths;
    for (const std::string& name : names) paths.push_back(toy_pairs(key, name) ? name : places.find(name, config));
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

TextOptions text_options(const DataConfig& config) {
  return {.max_line_bytes = static_cast<std::size_t>(config.max_line_bytes),
          .invalid_utf8 =
              config.invalid_utf8 == DataConfig::InvalidUtf8::refuse ? InvalidUtf8::refuse : InvalidUtf8::replace};
}

SamplerOptions sampler_options(const DataConfig& config, std::uint64_t seed) {
  return {.max_tokens = config.max_tokens, .rule = static_cast<BatchRule>(config.batch_rule), .seed = seed};
}

Layout layout(const DataConfig& config) {
  return config.layout == DataConfig::Layout::packed ? Layout::packed : Layout::padded;
}

ParallelCorpus read_in_blocks(const DataConfig& config, const std::string& name, std::uint64_t seed,
                              const CorpusPlaces& places, const TakeBlock& take) {
  const auto pairs = toy_pairs("data.train", name);
  if (!pairs) return read_files(config, name, places, /*all_targets=*/false, take);
  ParallelCorpus corpus =
      from_toy(name, toy_corpus(*pairs, seed, "data.train").train, english_first(config, "data.train"));
  take(corpus);
  corpus.source = corpus.target = {};
  return corpus;
}

Corpora read_corpora(const DataConfig& config, std::uint64_t seed, const CorpusPlaces& places,
                     const PreparedTraining* prepared) {
  DataConfig to_read = config;
  if (prepared) to_read.train.clear();
  check_text_fits(located(to_read, places));
  // Building a toy corpus takes a second, so one used by both options is built only once.
  std::int64_t built = 0;
  ToySplits toy;
  const auto read = [&](const char* key, const std::string& location, const std::vector<ToyPair>& split) {
    const auto pairs = toy_pairs(key, location);
    if (!pairs) return read_files(config, location, places);
    const bool forwards = english_first(config, key);
    if (built != *pairs) toy = toy_corpus(*pairs, seed, key);
    built = *pairs;
    return from_toy(location, split, forwards);
  };
  std::vector<ParallelCorpus> training;
  for (const std::string& name : to_read.train) training.push_back(read("data.train", name, toy.train));
  Corpora corpora{.training = prepared ? prepared->sample : joined(std::move(training)), .validation = {}, .split = {}};
  for (const std::string& name : config.valid) {
    ParallelCorpus corpus = read("data.valid", name, toy.valid);
    if (name == config.valid.front())
      corpora.validation = std::move(corpus);
    else
      corpora.watched.push_back(std::move(corpus));
  }
  if (config.valid.empty() && toy_pairs_alone("data.train", config.train))
    corpora.validation = from_toy(config.train.front(), toy.valid, english_first(config, "data.train"));
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

/// Rereads the pairs of data.train.
ParallelCorpus read_training(const DataConfig& config, std::uint64_t seed, const CorpusPlaces& places) {
  DataConfig whole = config;
  whole.split = HeldOut{};
  whole.valid.clear();
  return read_corpora(whole, seed, places).training;
}

ParallelCorpus read_test_corpus(const DataConfig& config, std::uint64_t seed, const CorpusPlaces& places) {
  const auto from_toy_split = [&](const char* key, const std::string& name, std::int64_t pairs) {
    const bool forwards = english_first(config, key);
    return from_toy(name, toy_corpus(pairs, seed, key).test, forwards);
  };
  if (!config.test.empty()) {
    const auto pairs = toy_pairs("data.test", config.test);
    return pairs ? from_toy_split("data.test", config.test, *pairs) : read_files(config, config.test, places, true);
  }
  if (const auto pairs = toy_pairs_alone("data.train", config.train))
    return from_toy_split("data.train", config.train.front(), *pairs);
  if (!config.split || config.split->test > 0) {
    ParallelCorpus corpus = read_training(config, seed, places);
    const HeldOut split = split_of(config, corpus);
    if (split.test > 0) return hold_out(std::move(corpus), split, "data.split").test;
  }
  misuse("data.test",
         "expected a test corpus, or a data.split that holds one out; got neither. Hint: name one with --test");
}

Tokenizers train_tokenizers(const DataConfig& config, const ParallelCorpus& corpus) {
  const auto most = static_cast<std::size_t>(config.vocab_sentences);
  const std::vector<std::size_t> sample = pair_sample(hashes_of(corpus), most);
  ProgressBar bar;
  std::optional<ElapsedProgress> progress;
  if (config.tokenizer == DataConfig::Tokenizer::sentencepiece) {  // only this one is slow
    print_note("learning {} of at most {} subwords from {} ...\n",
               config.shared_vocabulary ? "a vocabulary" : "two vocabularies", config.vocab_size,
               std::ssize(sample) < corpus.report.pairs
                   ? fmt::format("{} of {}", sample.size(), counted(corpus.report.pairs, "pair"))
                   : counted(sample.size(), "pair"));
    progress.emplace(bar, "learning subwords:");
  }
  std::vector<std::string> sources, targets;
  for (const std::size_t pair : sample) sources.push_back(with_prefix(config.source_prefix, corpus.source[pair]));
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

EncodeOptions encode_options(const DataConfig& config) {
  return {.source_bos = config.source_bos,
          .source_eos = config.source_eos,
          .source_prefix = config.source_prefix,
          .max_length = static_cast<int>(config.max_length)};
}

EncodedCorpus encode(const DataConfig& config, const ParallelCorpus& corpus, const Tokenizers& tokenizers,
                     bool may_be_empty) {
  EncodeOptions options = encode_options(config);
  options.may_be_empty = may_be_empty;
  return encode_corpus(corpus, *tokenizers.source, *tokenizers.target, options);
}

EncodeOptions training_options(const DataConfig& config) {
  EncodeOptions options = encode_options(config);
  options.max_ratio = config.max_ratio;
  return options;
}

EncodedCorpus encode_training(const DataConfig& config, const ParallelCorpus& training, const Tokenizers& tokenizers) {
  return encode_corpus(training, *tokenizers.source, *tokenizers.target, training_options(config));
}

EncodedCorpora encode_all(const DataConfig& config, const Corpora& corpora, const Tokenizers& tokenizers) {
  EncodedCorpora encoded{
      .training = encode_training(config, corpora.training, tokenizers), .validation = {}, .watched = {}};
  if (!corpora.validation.source.empty()) encoded.validation = encode(config, corpora.validation, tokenizers);
  for (const ParallelCorpus& corpus : corpora.watched) encoded.watched.push_back(encode(config, corpus, tokenizers));
  return encoded;
}

std::string normalize(const DataConfig& config, std::string_view line) {
  return config.lowercase ? utf8::lower_case(line) : std::string(line);
}

}  // namespace glossa
