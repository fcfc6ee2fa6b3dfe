#include "train/start_check.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "base/counted.h"
#include "data/corpora/corpus_doubts.h"
#include "data/exchanged_sides.h"
#include "data/text/languages.h"
#include "data/text/shell_word.h"
#include "train/corpus_loss.h"
#include "train/run.h"

namespace glossa {
namespace {

/// The error that reports a mistake, if it was found.
using Found = std::optional<Error::Parts>;

Found same_languages(const RunStart& start) {
  const DataConfig& data = start.config.data;
  if (plain_language(data.source) != plain_language(data.target)) return {};
  return Error::Parts::of(
      "data.target",
      "expected another language than data.source; got {} for both. Hint: name the language of each "
      "side",
      data.target);
}

Found wrong_direction(const RunStart& start) {
  if (!start.base) return {};
  const DataConfig &is = start.config.data, &was = start.base->data;
  const auto match = [&](const std::string& source, const std::string& target) {
    return same_language(is.source, source) && same_language(is.target, target);
  };
  // Two variants of one language, such as en and en-simple, match in both directions.
  if (match(was.source, was.target) || !match(was.target, was.source)) return {};
  const std::string& run = start.config.train.warm_start;
  return Error::Parts::of(
      "train.warm_start",
      "expected a model that translates {} to {}; got {}, which translates {} to {}. Hint: exchange "
      "data.source and data.target, or start from a model of this direction",
      is.source, is.target, run, was.source, was.target);
}

/// Finds a corpus whose sides are swapped, compared with the first corpus of data.train.
Found unlike_sides(const RunStart& start) {
  const ParallelCorpus& text = start.corpora.training;
  const bool is_joined = !text.parts.empty();
  const std::string& first = is_joined ? text.parts[0].name : text.name;
  const PairSample sample = sample_pairs(text, is_joined ? std::optional<std::uint32_t>(0) : std::nullopt);
  const auto compare = [&](const std::string& name, const PairSample& other) -> Found {
    if (!sides_exchanged(sample, other)) return {};
    return Error::Parts::of(name,
                            "expected {} as the source and {} as the target, as in {}; got the sides exchanged. Hint: "
                            "exchange the sides of this corpus or those of {}",
                            start.config.data.source, start.config.data.target, first, first);
  };
  for (std::uint32_t part = 1; part < text.parts.size(); ++part)
    if (Found found = compare(text.parts[part].name, sample_pairs(text, part))) return found;
  std::vector<const ParallelCorpus*> others{&start.corpora.validation};
  for (const ParallelCorpus& watched : start.corpora.watched) others.push_back(&watched);
  if (start.test) others.push_back(start.test);
  for (const ParallelCorpus* other : others)
    if (Found found = compare(other->name, sample_pairs(*other))) return found;
  return {};
}

Found swapped_sides(const RunStart& start) {
  const DataConfig& data = start.config.data;
  const ParallelCorpus& text = start.corpora.training;
  if (!look_exchanged(text.source, text.target, data.source, data.target)) return unlike_sides(start);
  const std::string& first = data.train.front();
  return Error::Parts::of(
      text.name, "expected {} as the source and {} as the target; got {} as the source and {} as the target. Hint: {}",
      data.source, data.target, data.target, data.source,
      is_table(first) ? fmt::format("exchange the names in the first row or, if it has none, the columns: "
                                    "data.source_column={}, data.target_column={}",
                                    data.reading.target_column, data.reading.source_column)
      : is_translation_memory(first) ? "exchange the languages in the file"
                                     : "exchange the names of the two files");
}

Found same_text(const RunStart& start) {
  const ParallelCorpus& text = start.corpora.training;
  const double share = share_of_same_text(text);
  if (share < 0.99) return {};
  return Error::Parts::of(text.name,
                          "expected translations; got the same text on both sides of {:.0f} % of the pairs. Hint: name "
                          "another file as data.target or, in a table, another data.target_column",
                          100 * share);
}

Found valid_is_train(const RunStart& start) {
  const CorpusNames& names = start.config.data.valid;
  const ParallelCorpus* validation = &start.corpora.validation;
  if (names.empty() || pairs_in_training(start.corpora, {&validation, 1})[0] < std::ssize(validation->source))
    return {};
  return Error::Parts::of(
      "data.valid",
      "expected text that training does not use; got {}, all of whose pairs are in data.train. Hint: "
      "leave data.valid empty and set data.split: auto to hold out a part",
      names.front());
}

Found few_pairs(const RunStart& start) {
  constexpr std::size_t fewest = 10;
  const ParallelCorpus& text = start.corpora.training;
  if (text.source.size() >= fewest) return {};
  return Error::Parts::of(text.name,
                          "expected at least {} training pairs; got {}. Hint: a useful model needs thousands of pairs",
                          fewest, describe(text.report));
}

/// The search for each mistake, in the order of TrainConfig::Mistake.
constexpr Found (*searches[])(const RunStart&){same_languages, wrong_direction, swapped_sides,
                                               same_text,      valid_is_train,  few_pairs};
static_assert(std::size(searches) == mistake_names.size());

/// True if train.allow lists the mistake.
bool is_allowed(const TrainConfig& config, TrainConfig::Mistake mistake) {
  return std::ranges::count(config.allow, mistake) > 0;
}

/// End of a hint: "--allow few-pairs trains anyway".
std::string remedy_of_allowing(TrainConfig::Mistake mistake) {
  return shell_command({"--allow", mistake_names.begin()[static_cast<std::size_t>(mistake)]}) + " trains anyway";
}

/// Measures of how well a model knows a text.
struct Fit {
  double loss = 0;     // loss per target token
  double unknown = 0;  // fraction of unknown tokens
};

/// Returns a few pairs, spread evenly over the text.
ParallelCorpus some_pairs(const ParallelCorpus& text) {
  constexpr std::size_t most = 48;
  ParallelCorpus some = text.without_pairs();
  const std::size_t count = text.source.size(), step = (count + most - 1) / most;
  for (std::size_t i = 0; i < count; i += step) {
    some.add(text.source[i], text.target[i], text.line(i));
    if (!text.parts.empty()) some.part.push_back(text.part[i]);
  }
  return some;
}

/// Measures the fit of a model to pairs. Returns an empty value if hardly any pair can be encoded.
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
  Context<float> context;
  const CorpusLoss loss = corpus_loss(context, *base.model->transformer, encoded, data, precision);
  const EncodeReport& report = encoded.report;
  return Fit{loss.per_token(), static_cast<double>(report.source_unknown + report.target_unknown) /
                                   static_cast<double>(report.source_tokens + report.target_tokens)};
}

/// True if the model knows the pairs far better with their sides swapped. Compares losses only if the fractions of
/// unknown tokens are similar, because the loss of <unk> means little.
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

void check_start(const RunStart& start) {
  for (std::size_t i = 0; i < mistake_names.size(); ++i) {
    const auto mistake = static_cast<TrainConfig::Mistake>(i);
    if (is_allowed(start.config.train, mistake)) continue;
    if (const Found found = searches[i](start))
      throw Error(Error::Kind::misuse, found->with_hint(found->hint + "; " + remedy_of_allowing(mistake)));
  }
}

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

std::string check_disk(const std::string& run, double files, double bytes, double free) {
  if (files < 1 || free >= files * bytes) return "";
  constexpr std::string_view remedy = "free some space, choose another --run";
  check(free >= bytes, run, "expected {} of disk space for a checkpoint; got {}. Hint: {}", in_bytes(bytes),
        in_bytes(free), remedy);
  return fmt::format(
      "the run's checkpoints need {} more at {}, {} each, but only {} are free: training ends when the disk is full. "
      "Hint: {}, or lower train.keep_checkpoints",
      in_bytes(files * bytes), run, in_bytes(bytes), in_bytes(free), remedy);
}

}  // namespace glossa
