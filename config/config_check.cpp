#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/counted.h"
#include "config/auto_options.h"
#include "config/exportable.h"

namespace glossa {
namespace {

using Metric = TrainConfig::Metric;

/// True if there is validation data: data.valid, a held-out part, or the validation split of a toy corpus.
bool has_validation(const DataConfig& data) {
  const bool holds_out = !data.split || data.split->valid > 0;
  return !data.valid.empty() || holds_out || toy_pairs_alone("data.train", data.train).has_value();
}

/// Throws if data.split holds out pairs for which a separate corpus is given. data.split: auto cannot fail, because it
/// adapts to the given corpora.
void check_split(const DataConfig& data) {
  if (!data.split || data.split->pairs() == 0) return;
  if (toy_pairs_alone("data.train", data.train))
    misuse("data.split", "expected none with a toy corpus, which has its own splits; got {}/{}", data.split->valid,
           data.split->test);
  const auto check_empty = [](const char* key, const std::string& names, std::int64_t pairs) {
    if (pairs > 0 && !names.empty())
      misuse(key, "expected nothing with a data.split that holds out {} for it; got {}. Hint: remove one of the two",
             counted(pairs, "pair"), names);
  };
  check_empty("data.valid", data.valid.text(), data.split->valid);
  check_empty("data.test", data.test, data.split->test);
}

/// Throws if an option sets a rule for drawing subwords that the tokenizer does not support.
void check_subwords(const DataConfig& data) {
  const auto check_rule = [&](const char* key, double value, SubwordModel model, const char* name) {
    const bool is_learned = data.tokenizer == DataConfig::Tokenizer::sentencepiece;
    const bool fits = is_learned ? data.sentencepiece_model == model : data.tokenizer == DataConfig::Tokenizer::pieces;
    if (value > 0 && !fits)
      misuse(key, "expected 0 unless data.tokenizer is sentencepiece and data.sentencepiece_model is {}; got {}", name,
             value);
  };
  check_rule("data.bpe_dropout", data.bpe_dropout, SubwordModel::bpe, "bpe");
  check_rule("data.unigram_sampling", data.unigram_sampling, SubwordModel::unigram, "unigram");
  if (data.bpe_dropout > 0 && data.unigram_sampling > 0)
    misuse("data.unigram_sampling", "expected 0 with data.bpe_dropout; got {}", data.unigram_sampling);
}

void check_data(const DataConfig& data) {
  if (data.train.empty())
    misuse("data.train", "expected a training corpus; got nothing. Hint: data.train=toy:50000 needs no files");
  toy_pairs_alone("data.train", data.train);
  toy_pairs_alone("data.valid", data.valid);
  toy_pairs("data.test", data.test);
  check_split(data);
  if (!data.batches.weights.empty() && data.batches.weights.size() != data.train.size())
    misuse("data.weights", "expected one for each corpus that data.train lists, {}; got {}", data.train.size(),
           data.batches.weights.size());
  for (auto name = data.valid.begin(); name != data.valid.end(); ++name)
    if (std::find(data.valid.begin(), name, *name) != name)
      misuse("data.valid", "expected each corpus once; got {} twice. Hint: remove one", *name);
  if (data.reading.source_column == data.reading.target_column)
    misuse("data.target_column", "expected a column other than data.source_column; got {} for both",
           data.reading.target_column);
  if (data.tokenizer == DataConfig::Tokenizer::sentencepiece && data.specials.unk < 0)
    misuse("data.unk_id", "expected at least 0 with data.tokenizer: sentencepiece, which needs <unk>; got {}",
           data.specials.unk);
  check_subwords(data);
  const std::vector<std::pair<const char*, std::int64_t>> specials{{"data.unk_id", data.specials.unk},
                                                                   {"data.pad_id", data.specials.pad},
                                                                   {"data.bos_id", data.specials.bos},
                                                                   {"data.eos_id", data.specials.eos}};
  for (std::size_t i = 0; i < specials.size(); ++i) {
    const auto [key, id] = specials[i];
    if (id >= data.vocab_size) misuse(key, "expected an id below data.vocab_size ({}); got {}", data.vocab_size, id);
    for (std::size_t j = 0; j < i; ++j) {
      const bool padding_begins = i == 2 && j == 1;  // decoders of Marian's models begin with <pad>
      if (id == specials[j].second && !padding_begins)
        misuse(key, "expected a unique id; got {}, as {}", id, specials[j].first);
    }
  }
}

/// Formats the divisors of `whole` nearest to `part`, as in "2 and 4 divide".
std::string nearest_divisors(std::int64_t whole, std::int64_t part) {
  std::int64_t below = std::min(part, whole), above = part;
  while (whole % below != 0) --below;
  while (above < whole && whole % above != 0) ++above;
  return above < whole ? fmt::format("{} and {} divide", below, above) : fmt::format("{} divides", below);
}

/// Throws if heads cannot share keys and values as model.key_heads requires. With `auto`, the number of heads adapts if
/// possible.
void check_key_heads(const ModelConfig& model, bool heads_are_auto) {
  const StackOptions& stack = model.transformer.stack;
  if (stack.key_heads == 0 || stack.heads % stack.key_heads == 0) return;
  if (!heads_are_auto)
    misuse("model.key_heads", "expected a divisor of model.heads ({}), or 0; got {}. Hint: {} it", stack.heads,
           stack.key_heads, nearest_divisors(stack.heads, stack.key_heads));
  const bool in_pairs = model.positions == ModelConfig::Positions::rotary && stack.width % 2 == 0;
  const std::int64_t whole = in_pairs ? stack.width / 2 : stack.width;
  misuse("model.key_heads",
         "expected a divisor of {}model.width ({}) with model.heads: auto, or 0; got {}. Hint: {} it",
         in_pairs ? "half of " : "", whole, stack.key_heads, nearest_divisors(whole, stack.key_heads));
}

/// Throws if self-attention does not support these positions, or if an option is set that these positions do not use.
void check_relative_positions(const ModelConfig& model) {
  const StackOptions& stack = model.transformer.stack;
  if (model.positions != ModelConfig::Positions::rotary &&
      stack.rotary_base != ModelConfig{}.transformer.stack.rotary_base)
    misuse("model.rotary_base",
           "expected {}, the default, without model.positions: rotary; got {}. Hint: set model.positions: rotary",
           ModelConfig{}.transformer.stack.rotary_base, stack.rotary_base);
  if (model.positions == ModelConfig::Positions::alibi && stack.similarity == Similarity::additive)
    misuse("model.similarity",
           "expected another one with model.positions: alibi; got additive. Hint: use scaled_dot, or "
           "model.positions: sinusoidal");
  if (model.positions != ModelConfig::Positions::rotary) return;
  using enum Similarity;
  if (stack.similarity != scaled_dot && stack.similarity != dot)
    misuse("model.similarity",
           "expected scaled_dot or dot with model.positions: rotary; got {}. Hint: use model.positions: sinusoidal",
           stack.similarity == general ? "general" : "additive");
  const std::int64_t head_width = stack.head_width > 0 ? stack.head_width : stack.width / stack.heads;
  if (head_width % 2 != 0)
    misuse(stack.head_width > 0 ? "model.head_width" : "model.width",
           "expected heads of an even width with model.positions: rotary; got {}. Hint: use model.head_width: {}, or "
           "model.positions: sinusoidal",
           head_width, head_width + 1);
}

void check_model(const ModelConfig& model, const DataConfig& data, bool heads_are_auto) {
  const TransformerOptions& transformer = model.transformer;
  const StackOptions& stack = transformer.stack;
  if (stack.head_width == 0 && stack.width % stack.heads != 0)
    misuse("model.heads", "expected a divisor of model.width ({}); got {}. Hint: {} it", stack.width, stack.heads,
           nearest_divisors(stack.width, stack.heads));
  check_key_heads(model, heads_are_auto);
  if (model.positions == ModelConfig::Positions::sinusoidal && stack.width % 2 != 0)
    misuse(
        "model.width",
        "expected an even number with model.positions: sinusoidal; got {}. Hint: use {}, or model.positions: learned",
        stack.width, stack.width + 1);
  check_relative_positions(model);
  if (transformer.max_positions < data.encoding.max_length)
    misuse("model.max_positions", "expected at least data.max_length ({}); got {}", data.encoding.max_length,
           transformer.max_positions);
  const bool one_table = transformer.tied == Tied::all || transformer.tied == Tied::embeddings;
  if (one_table && !data.shared_vocabulary)
    misuse("model.tied",
           "expected none or output with data.shared_vocabulary: false; got {}. Hint: embeddings of two vocabularies "
           "cannot be shared",
           transformer.tied == Tied::all ? "all" : "embeddings");
  if (stack.feed_forward == 0 && stack.activation != Activation::relu)
    misuse("model.activation",
           "expected relu, the default, with model.feed_forward: 0, which has no activation; got {}. Hint: raise "
           "model.feed_forward",
           name_of(stack.activation));
  if (stack.feed_forward == 0 && model.activation_dropout.value_or(0) > 0)
    misuse("model.activation_dropout", "expected 0 or null with model.feed_forward: 0, which has no activation; got {}",
           *model.activation_dropout);
}

bool has_dropout(const ModelConfig& model) {
  double most = model.transformer.stack.residual_dropout;
  for (const auto& dropout : {model.attention_dropout, model.activation_dropout, model.embedding_dropout})
    most = std::max(most, dropout.value_or(0));
  return most > 0;
}

void check_optim(const OptimConfig& optim, const TrainConfig& train, const DataConfig& data) {
  using enum ScheduleOptions::Kind;
  const ScheduleOptions::Kind schedule = optim.schedule.kind;
  if ((schedule == noam || schedule == inverse_sqrt) && optim.warmup.never())
    misuse("optim.warmup", "expected at least 1 update with optim.schedule: {}; got 0",
           schedule == noam ? "noam" : "inverse_sqrt");
  // If only one of the two periods is in epochs, their order depends on the corpus.
  const bool comparable = optim.total_updates.never() || optim.total_updates.unit == optim.warmup.unit;
  if ((schedule == cosine || schedule == linear) && comparable && optim.total_updates.amount <= optim.warmup.amount)
    misuse("optim.total_updates", "expected more than optim.warmup ({}) with optim.schedule: {}; got {}",
           optim.warmup.amount, schedule == cosine ? "cosine" : "linear", optim.total_updates.amount);
  if (schedule == plateau && (train.validate_every.never() || !has_validation(data)))
    misuse("optim.schedule", "expected data.valid and train.validate_every above 0 with plateau; got no validation");
  if (schedule == noam) return;  // noam does not use optim.lr
  if (optim.schedule.min_lr > optim.schedule.lr)
    misuse("optim.min_lr", "expected at most optim.lr ({}); got {}", optim.schedule.lr, optim.schedule.min_lr);
  if (optim.schedule.warmup_init_lr > optim.schedule.lr)
    misuse("optim.warmup_init_lr", "expected at most optim.lr ({}); got {}", optim.schedule.lr,
           optim.schedule.warmup_init_lr);
}

void check_train(const TrainConfig& train, const DataConfig& data) {
  if (train.word_dropout > 0 && data.specials.unk < 0)
    misuse("train.word_dropout", "expected 0 with data.unk_id: -1, a vocabulary without <unk>; got {}",
           train.word_dropout);
  if (train.max_updates.never() && train.max_epochs.never() && train.max_minutes == 0)
    misuse("train.max_updates",
           "expected train.max_updates, train.max_epochs or train.max_minutes above 0; got none. Hint: without a "
           "limit, training never ends");
  const bool decoded = train.metric != Metric::loss && train.metric != Metric::perplexity;
  const char* name = TrainConfig::metric_names.begin()[static_cast<std::size_t>(train.metric)];
  if (decoded && !train.decode_validation)
    misuse("train.metric",
           "expected loss or perplexity, because train.decode_validation: false leaves out the translations that {} "
           "needs; got {}",
           name, name);
  if (train.patience > 0 && (train.validate_every.never() || !has_validation(data)))
    misuse("train.patience", "expected 0 without validation; got {}. Hint: set data.valid and train.validate_every",
           train.patience);
}

/// Size assumed in checks before the corpus is read.
constexpr CorpusSize usual_size{.pairs = 10'000, .alphabet = 100};

double in_updates(const Period& period, std::int64_t updates_per_epoch) {
  return period.unit == Period::Unit::epochs ? period.amount * static_cast<double>(updates_per_epoch) : period.amount;
}

/// Returns a warning if the limit `key` ends training after `updates` updates, before the warm-up ends.
std::vector<std::string> doubt_about_end(const Config& config, std::string_view key, double updates,
                                         std::int64_t updates_per_epoch) {
  const double warmup = in_updates(config.optim.warmup, updates_per_epoch);
  if (updates >= warmup) return {};
  return {
      fmt::format("{} ends training after {}, within optim.warmup ({:.0f}). Hint: raise the limit, or begin anew with "
                  "--set optim.warmup=auto, which depends on the size of the corpus",
                  key, counted(std::ceil(updates), "update"), std::ceil(warmup))};
}

}  // namespace

std::vector<std::string> option_doubts(const Config& given) {
  const Config config = decided_for(usual_size, given);
  std::vector<std::string> warnings;
  const auto doubt = [&](bool doubtful, std::string text) {
    if (doubtful) warnings.push_back(std::move(text));
  };
  const auto& [data, model, optim, train, decode, runtime, undecided] = config;
  doubt(model.transformer.stack.norm == NormPlace::post && optim.name != OptimConfig::Name::sgd &&
            optim.schedule.lr >= 5e-4 && optim.warmup.never(),
        fmt::format(
            "model.norm: post with optim.lr {} and no warm-up often diverges; set optim.schedule: inverse_sqrt and "
            "optim.warmup, or model.norm: pre",
            optim.schedule.lr));
  doubt(model.positions != ModelConfig::Positions::sinusoidal &&
            model.transformer.sinusoid != ModelConfig{}.transformer.sinusoid,
        "model.sinusoid has no effect without model.positions: sinusoidal");
  doubt(optim.name == OptimConfig::Name::adam && optim.weight_decay > 0,
        "optim.weight_decay with adam is an L2 penalty, scaled by Adam's denominator; adamw decouples it");
  doubt(!has_validation(data), "data.valid is empty: no validation, and no best checkpoint");
  const bool two_files = std::any_of(data.train.begin(), data.train.end(), [](const std::string& name) {
    return !toy_pairs("data.train", name) && !is_one_file(name);
  });
  doubt(two_files && data.source == data.target,
        "data.source and data.target are the same: both sides would come from one file");
  doubt(train.save_every.never(), decode.average > 1
                                      ? "train.save_every is 0: only the end of training is saved, and decode.average "
                                        "has one checkpoint"
                                      : "train.save_every is 0: only the end of training is saved");
  return warnings;
}

std::vector<std::string> length_doubts(const Config& config, std::int64_t updates_per_epoch) {
  const auto end = [&](const Period& limit) {
    return limit.never() ? std::numeric_limits<double>::infinity() : in_updates(limit, updates_per_epoch);
  };
  const double updates = end(config.train.max_updates), epochs = end(config.train.max_epochs);
  return doubt_about_end(config, updates <= epochs ? "train.max_updates" : "train.max_epochs",
                         std::min(updates, epochs), updates_per_epoch);
}

std::vector<std::string> time_doubts(const Config& config, std::int64_t updates_per_epoch, double updates) {
  if (config.train.max_minutes == 0 || !length_doubts(config, updates_per_epoch).empty()) return {};
  return doubt_about_end(config, "at this speed, train.max_minutes", updates, updates_per_epoch);
}

void validate(const Config& given) {
  const Config config = decided_for(usual_size, given);
  check_data(config.data);
  check_model(config.model, config.data, given.undecided.contains("model.heads"));
  check_optim(config.optim, config.train, config.data);
  check_train(config.train, config.data);
  if (config.train.r_drop > 0 && !has_dropout(config.model))
    misuse("train.r_drop", "expected 0 without dropout, as both passes are then equal; got {}. Hint: set model.dropout",
           config.train.r_drop);
  if (config.decode.average > config.train.keep_checkpoints)
    misuse("decode.average", "expected at most train.keep_checkpoints ({}); got {}. Hint: keep as many",
           config.train.keep_checkpoints, config.decode.average);
  check_exportable(config);
  check_decode(config.decode);
}

void check_decode(const DecodeOptions& decode) {
  if (decode.sample && decode.beam > 1)
    misuse("decode.beam", "expected 1 with decode.sample: true; got {}. Hint: a sample is a single draw, not a search",
           decode.beam);
  if (decode.sample && decode.mbr > 0)
    misuse("decode.sample",
           "expected false with decode.mbr: {}; got true. Hint: decode.mbr draws samples itself and selects one",
           decode.mbr);
  const bool draws = decode.sample || decode.mbr > 0;
  if (decode.top_k > 0 && !draws)
    misuse("decode.top_k", "expected 0 without decode.sample: true or decode.mbr; got {}", decode.top_k);
  if (decode.top_p < 1 && !draws)
    misuse("decode.top_p", "expected 1 without decode.sample: true or decode.mbr; got {}", decode.top_p);
  if (decode.max_length_factor == 0 && decode.max_length_extra == 0)
    misuse("decode.max_length_extra", "expected at least 1 with decode.max_length_factor: 0; got 0");
}

}  // namespace glossa
