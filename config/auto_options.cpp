#include "config/auto_options.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "data/text/utf8.h"

namespace glossa {
namespace {

/// Values for corpora of fewer than `below` pairs.
struct Step {
  std::int64_t below;
  std::int64_t merges, max_tokens, width, layers;
  double dropout, lr;
};

constexpr Step steps[] = {{6'000, 2'000, 1'024, 128, 3, 0.3, 2e-3},
                          {20'000, 4'000, 1'024, 128, 3, 0.3, 2e-3},
                          {60'000, 6'000, 2'048, 128, 4, 0.3, 2e-3},
                          {std::numeric_limits<std::int64_t>::max(), 8'000, 4'096, 256, 3, 0.2, 1e-3}};

const Step& step_for(std::int64_t pairs) {
  return *std::ranges::find_if(steps, [&](const Step& step) { return pairs < step.below; });
}

/// Returns 10 epochs plus 500,000 / `pairs`, at most 200: small corpora are repeated more often.
double epochs_for(std::int64_t pairs) {
  return std::min(200.0, 10 + std::round(500'000 / static_cast<double>(std::max<std::int64_t>(pairs, 1))));
}

/// Returns the size of a vocabulary: characters plus merges. For words, which are rarer than subwords, returns ten
/// times `merges` instead.
std::int64_t vocabulary_for(DataConfig::Tokenizer tokenizer, std::int64_t alphabet, std::int64_t merges) {
  return tokenizer == DataConfig::Tokenizer::words ? 10 * merges : alphabet + merges;
}

/// Returns 4, or the largest smaller number that divides the width. That number may not suit model.key_heads, or rotary
/// positions, which need an even head width. If so, returns the nearest suitable number, if any.
std::int64_t heads_for(const ModelConfig& model) {
  const StackOptions& stack = model.transformer.stack;
  const std::int64_t width = stack.width, groups = std::max<std::int64_t>(stack.key_heads, 1);
  std::int64_t usual = 4;
  while (width % usual != 0) --usual;
  const bool in_pairs = model.positions == ModelConfig::Positions::rotary && width % 2 == 0;
  const auto fits = [&](std::int64_t heads) {
    const bool divides = stack.head_width > 0 || width % (in_pairs ? 2 * heads : heads) == 0;
    return divides && heads % groups == 0;
  };
  for (std::int64_t distance = 0; distance <= std::max(width, groups); ++distance)
    for (const std::int64_t heads : {usual - distance, usual + distance})
      if (heads > 0 && fits(heads)) return heads;
  return usual;
}

/// Returns a tenth of training: of train.max_updates if only updates are limited, otherwise of `epochs`. If both are
/// limited, train.max_updates is ignored; lowering it then ends a run earlier without changing its learning rates.
Period tenth_of(const TrainConfig& train, double epochs) {
  if (train.max_epochs.never() && !train.max_updates.never())
    return {std::max(1.0, std::round(train.max_updates.amount / 10)), Period::Unit::updates};
  return {epochs / 10, Period::Unit::epochs};
}

}  // namespace

CorpusSize size_of(const ParallelCorpus& corpus) {
  std::set<char32_t> alphabet;
  for (const auto* side : {&corpus.source, &corpus.target})
    for (const std::string& sentence : *side)
      utf8::for_each(sentence, [&](std::string_view, const utf8::CodePoint& c) {
        if (c.value != U' ') alphabet.insert(c.value);
      });
  return {.pairs = std::ssize(corpus.source), .alphabet = std::ssize(alphabet)};
}

Config decided_for(const CorpusSize& size, Config config) {
  const auto decide = [&](const char* key, auto& member, const auto& value) {
    if (config.undecided.erase(key) > 0) member = value;
  };
  auto& [data, model, optim, train, decode, runtime, undecided] = config;
  const Step& step = step_for(size.pairs);
  decide("data.vocab_size", data.vocab_size, vocabulary_for(data.tokenizer, size.alphabet, step.merges));
  decide("data.max_tokens", data.batches.max_tokens, step.max_tokens);
  decide("model.width", model.transformer.stack.width, step.width);
  decide("model.heads", model.transformer.stack.heads, heads_for(model));
  decide("model.feed_forward", model.transformer.stack.feed_forward, 4 * model.transformer.stack.width);
  decide("model.encoder_layers", model.transformer.encoder_layers, step.layers);
  decide("model.decoder_layers", model.transformer.decoder_layers, step.layers);
  decide("model.dropout", model.transformer.stack.residual_dropout, step.dropout);
  decide("train.max_epochs", train.max_epochs, Period{epochs_for(size.pairs), Period::Unit::epochs});
  const double epochs = train.max_epochs.never() ? epochs_for(size.pairs) : train.max_epochs.amount;
  const Period tenth = tenth_of(train, epochs);
  decide("optim.lr", optim.schedule.lr, step.lr);
  decide("optim.warmup", optim.warmup, tenth);
  decide("optim.total_updates", optim.total_updates, Period{10 * tenth.amount, tenth.unit});
  decide("train.validate_every", train.validate_every,
         Period{std::max(1.0, std::floor(epochs / 25)), Period::Unit::epochs});
  decide("train.save_every", train.save_every, train.validate_every);
  return config;
}

void decide_auto_options(Config& config, const CorpusSize& training, const HeldOut& split) {
  config = decided_for(training, std::move(config));
  config.data.split = split;
}

std::vector<std::string> decisions(const Config& given, const Config& decided) {
  std::vector<std::string> lines;
  for (const OptionSection& section : option_sections()) {
    std::vector<std::string> values;
    for (const Option<Config>& option : section.options)
      if (option.text(given) == "auto" && option.text(decided) != "auto")
        values.push_back(fmt::format("{} {}", option.name, option.text(decided)));
    if (!values.empty()) lines.push_back(fmt::format("auto {}: {}", section.name, fmt::join(values, ", ")));
  }
  return lines;
}

}  // namespace glossa
