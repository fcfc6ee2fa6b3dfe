#include "train/direction_check.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/check.h"
#include "data/text/languages.h"
#include "train/model/criterion.h"
#include "train/start_check.h"

namespace glossa {
namespace {

/// Evidence that a model knows a text.
struct Fit {
  double loss = 0;     // per target token
  double unknown = 0;  // share of tokens
};

/// A few pairs, spread evenly.
ParallelCorpus some_pairs(const ParallelCorpus& text) {
  constexpr std::size_t most = 48;
  ParallelCorpus some = text.without_pairs();
  const std::size_t count = text.source.size(), step = (count + most - 1) / most;
  for (std::size_t i = 0; i < count; i += step) {
    some.source.push_back(text.source[i]);
    some.target.push_back(text.target[i]);
    some.lines.push_back(text.line(i));
    if (!text.parts.empty()) some.part.push_back(text.part[i]);
  }
  return some;
}

/// Returns no fit if hardly any pair can be encoded.
std::optional<Fit> fit_of(const LoadedRun& base, DataConfig data, Precision precision, const ParallelCorpus& pairs) {
  constexpr int fewest = 10;
  constexpr int short_length = 64;
  data.encoding.max_length =
      data.encoding.max_length == 0 ? short_length : std::min(data.encoding.max_length, short_length);
  EncodedCorpus encoded;
  try {
    encoded = encode(data, pairs, base.tokenizers, /*may_be_empty=*/true);
  } catch (const LineError&) {  // a token is unknown, and the vocabulary has no <unk>
    return {};
  }
  if (encoded.size() < fewest) return {};
  std::vector<int> all(encoded.source.size());
  std::iota(all.begin(), all.end(), 0);
  const Batch batch = make_batch(encoded, all, Layout::packed);
  Context<float> context;
  context.begin({.training = false, .recording = false, .precision = precision});
  const CrossEntropy<float> loss = batch_loss(context, *base.model->transformer, batch, encoded.specials.pad, 0);
  const EncodeReport& report = encoded.report;
  return Fit{loss.nll_sum / static_cast<double>(loss.count),
             static_cast<double>(report.source_unknown + report.target_unknown) /
                 static_cast<double>(report.source_tokens + report.target_tokens)};
}

/// True if the pairs are far better known with their sides exchanged. Tokens that the vocabulary lacks count first: the
/// loss of <unk> says little.
bool fits_exchanged(const Fit& given, const Fit& exchanged) {
  constexpr double far_less_unknown = 0.3, as_unknown = 0.1, far_less_loss = 1;
  const double less_unknown = given.unknown - exchanged.unknown;
  return less_unknown > far_less_unknown || (less_unknown > -as_unknown && given.loss - exchanged.loss > far_less_loss);
}

/// True if the base translates the languages of the new run, or does not name its languages.
bool has_languages(const DataConfig& base, const DataConfig& now) {
  const bool unnamed = base.source == "source" && base.target == "target";
  return unnamed || (same_language(base.source, now.source) && same_language(base.target, now.target));
}

}  // namespace

void check_direction(const Config& base, const Config& config, const ParallelCorpus& text) {
  const DataConfig& data = config.data;
  if (is_allowed(config.train, TrainConfig::Mistake::swapped_sides) || !has_languages(base.data, data)) return;
  const LoadedRun run = load_run_in_float(RunName(config.train.warm_start), base);
  ParallelCorpus pairs = some_pairs(text);
  const std::optional<Fit> given = fit_of(run, data, config.train.precision, pairs);
  std::swap(pairs.source, pairs.target);
  const std::optional<Fit> exchanged = fit_of(run, data, config.train.precision, pairs);
  if (!given || !exchanged || !fits_exchanged(*given, *exchanged)) return;
  misuse(
      text.name,
      "expected {} as the source and {} as the target; got the sides exchanged, by the model of {}: its loss is "
      "{:.1f} per token with {:.0f} % unknown tokens, but {:.1f} with {:.0f} % after an exchange. Hint: exchange the "
      "sides; {}",
      data.source, data.target, config.train.warm_start, given->loss, 100 * given->unknown, exchanged->loss,
      100 * exchanged->unknown, remedy_of_allowing(TrainConfig::Mistake::swapped_sides));
}

}  // namespace glossa
