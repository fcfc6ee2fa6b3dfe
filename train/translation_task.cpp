#include "train/translation_task.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>

#include "base/counted.h"
#include "data/corpora/corpus_doubts.h"
#include "decoding/output_watch.h"
#include "decoding/scores/chrf.h"
#include "train/corpus_loss.h"
#include "train/model/memory_check.h"
#include "train/model/word_dropout.h"
#include "train/shared_search.h"

namespace glossa {

namespace {

/// Formats the number of pairs of each group of corpora that `names` lists; empty for a single group.
std::string reports_of_groups(const ParallelCorpus& corpus, const CorpusNames& names) {
  if (corpus.parts.empty() || corpus.parts.back().group == 0) return "";
  std::string text;
  auto part = corpus.parts.begin();
  for (std::uint32_t group = 0; const std::string& name : names) {
    CorpusReport all;
    for (; part != corpus.parts.end() && part->group == group; ++part) all += part->report;
    text += fmt::format("\n    {}: {}", name, describe(all, false));
    ++group;
  }
  return text;
}

/// Formats the numbers of read and encoded pairs, with one line for each reason for omissions.
std::string report(const char* use, const ParallelCorpus& corpus, const PairStore& encoded,
                   const CorpusNames& names = {}) {
  std::string text = fmt::format("{} data {}: {};\n    {}", use, corpus.name, describe(corpus.report, false),
                                 describe(encoded.report, false));
  text += reports_of_groups(corpus, names);
  if (const std::size_t corpora = corpus.parts.size(); !names.empty() && corpora > names.size())
    text += fmt::format("\n    {} corpora: {}, ..., {}", corpora, corpus.parts.front().name, corpus.parts.back().name);
  for (const std::string& line : left_out(corpus.report, encoded.report)) text += "\n    " + line;
  return text;
}

/// Returns the training pairs as ids; stores the statistics of their text in `statistics`.
std::shared_ptr<const PairStore> training_pairs(const DataConfig& config, const ParallelCorpus& text,
                                                const Tokenizers& tokenizers,
                                                const std::shared_ptr<const PreparedCorpus>& prepared,
                                                TextStatistics& statistics) {
  if (prepared) {
    statistics = prepared->record().statistics;
    return prepared;
  }
  auto pairs = std::make_shared<EncodedCorpus>(encode_training(config, text, tokenizers));
  statistics = text_statistics(text, *pairs, config.source);
  return pairs;
}

}  // namespace

TranslationTask::TranslationTask(const Config& config, const Corpora& corpora, const Tokenizers& tokenizers,
                                 const Job& job, const std::shared_ptr<const PreparedCorpus>& prepared)
    : job_(job),
      config_(config),
      tokenizers_(tokenizers),
      before_text_(ids_before_text(*tokenizers.source, config.data.encoding)),
      reader_(training_pairs(config.data, corpora.training, tokenizers, prepared, text_statistics_), config,
              tokenizers),
      sampler_(reader_.pairs(), training_sampler_options(config.data, static_cast<std::uint64_t>(config.train.seed))) {
  data_report_ =
      report("training", corpora.training, reader_.pairs(), config.data.train) + "\n" + first_pair(corpora.training);
  if (!corpora.validation.source.empty()) add_validation(corpora.validation);
  for (const ParallelCorpus& corpus : corpora.watched) add_validation(corpus);
  std::vector<std::uint64_t> fingerprints{reader_.pairs().fingerprint()};
  if (validations_.empty()) fingerprints.push_back(EncodedCorpus().fingerprint());
  for (const Validation& validation : validations_) fingerprints.push_back(validation.pairs.fingerprint());
  data_hash_ = glossa::data_hash(fingerprints);
  if (const HeldOut& split = corpora.split; split.pairs() > 0)
    data_report_ += fmt::format("\ndata.split {}/{}: pairs held out by a hash, for validation{}", split.valid,
                                split.test, split.test > 0 ? " and for `glossa evaluate RUN`" : "");

  reader_.reserve(sampler_.lengths());
  largest_ = largest_batch();
  const Index source_vocabulary = tokenizers_.source->vocabulary_size(),
              target_vocabulary = tokenizers_.target->vocabulary_size();
  check_training_fits(config_, source_vocabulary, target_vocabulary, extent_of(reader_.read(largest_, 0)), job_);
  model_ = make_model(config_.model, source_vocabulary, target_vocabulary,
                      static_cast<std::uint64_t>(config_.train.seed), reader_.pairs().specials);
}

void TranslationTask::add_validation(const ParallelCorpus& text) {
  Validation validation{.name = text.name, .pairs = encode(config_.data, text, tokenizers_)};
  data_report_ += "\n" + report(validations_.empty() ? "validation" : "watched", text, validation.pairs);
  for (const std::size_t pair : validation.pairs.origin) {
    validation.sources.push_back(text.source[pair]);
    validation.references.push_back(text.target[pair]);
  }
  validations_.push_back(std::move(validation));
}

void TranslationTask::begin_epoch(std::int64_t epoch) {
  if (epoch == epoch_) return;
  epoch_ = epoch;
  ordering_ = {};
  batches_ = {};  // frees the old batches first: memory must hold only one epoch
}

void TranslationTask::order_ahead() {
  ordering_ = std::async(std::launch::async | std::launch::deferred,
                         [this, epoch = static_cast<int>(epoch_)] { return sampler_.epoch(epoch, true); });
}

const Batches& TranslationTask::order() {
  if (batches_.empty()) batches_ = ordering_.valid() ? ordering_.get() : sampler_.epoch(static_cast<int>(epoch_), true);
  return batches_;
}

std::vector<int> TranslationTask::largest_batch() {
  // If subwords are drawn, any of several batches of similar size may become the largest. A few of them represent all.
  constexpr std::ptrdiff_t most_drawn = 16;
  const std::span<const Extents> lengths = sampler_.lengths();
  const auto size = [&](const Extents& extents) {  // compares by rows, then by query-key pairs
    return std::pair(extents.rows(Layout::packed), extents.squares);
  };
  std::vector<std::size_t> by_size(lengths.size());
  std::iota(by_size.begin(), by_size.end(), std::size_t{0});
  const auto candidates = std::min(std::ssize(by_size), reader_.draws() ? most_drawn : 1);
  std::ranges::partial_sort(by_size, by_size.begin() + candidates, std::ranges::greater(),
                            [&](std::size_t i) { return size(lengths[i]); });
  std::vector<int> largest;
  std::pair<std::int64_t, std::int64_t> size_of_largest;
  for (const std::size_t i : std::span(by_size).first(static_cast<std::size_t>(candidates))) {
    std::vector<int> sentences = sampler_.example(i);
    const auto found = size(reader_.extents(sentences, 0, lengths[i]));
    if (found <= size_of_largest) continue;
    size_of_largest = found;
    largest = std::move(sentences);
  }
  return largest;
}

TranslationTask::Loss TranslationTask::loss(Context<float>& context, std::int64_t batch, const StepOptions& options,
                                            std::int64_t next) {
  const Batches& batches = order();
  const auto sentences = [&](std::int64_t i) {
    return i >= 0 && i < std::ssize(batches) ? batches[static_cast<std::size_t>(i)] : std::span<const int>();
  };
  return loss_of(reader_.read(sentences(batch), epoch_, sentences(next)), context, options);
}

TranslationTask::Loss TranslationTask::largest_loss(Context<float>& context, const StepOptions& options) {
  return loss_of(reader_.read(largest_, 0), context, options);
}

TranslationTask::Loss TranslationTask::loss_of(Batch& batch, Context<float>& context, const StepOptions& options) {
  drop_words(batch, config_.train.word_dropout, tokenizers_.source->specials(), before_text_, reader_.pairs().specials,
             static_cast<std::uint64_t>(config_.train.seed), options.update.value_or(0));
  context.begin(options);
  const CrossEntropy<float> loss =
      training_loss(context, *model_->transformer, batch, reader_.pairs().specials.pad, config_.train);
  return {.sum = loss.sum,
          .nll_sum = loss.nll_sum,
          .target_tokens = loss.count,
          .source_tokens = batch.source_tokens / config_.train.passes(),
          .rows = batch.source_rows + batch.target_rows};
}

/// Adds the loss of a corpus and, with a translator, its scores; returns the translations.
template <class Scores>
std::vector<std::string> TranslationTask::measure(const Validation& validation, Context<float>& context,
                                                  Translator* translator, Scores& scores) const {
  scores.loss =
      corpus_loss(context, *model_->transformer, validation.pairs, config_.data, config_.train.precision, job_)
          .per_token();
  if (!translator) return {};
  std::vector<std::string> outputs = translator->translate(validation.sources, "data.valid");
  scores.bleu = corpus_bleu(outputs, validation.references, bleu_options(config_)).score;
  scores.chrf = corpus_chrf(outputs, validation.references);
  scores.exact_match = exact_match(outputs, validation.references);
  return outputs;
}

ValidationReport TranslationTask::validate(Context<float>& context,
                                           const std::function<void(std::int64_t, std::int64_t)>& progress,
                                           bool translates) {
  ValidationReport report;
  DecodeOptions decode = config_.decode;
  decode.precision = config_.train.precision;
  Translator translator(*model_->transformer, tokenizers_, config_.data, decode);
  translator.divide(divided_among(job_));
  Translator* const used = translates ? &translator : nullptr;
  std::int64_t done = 0, all = 0;
  for (const Validation& validation : validations_) all += std::ssize(validation.sources);
  translator.watch([&](Index count) { progress(done += count, all); });
  const std::vector<std::string> outputs = measure(validations_.front(), context, used, report);
  for (std::size_t i = 1; i < validations_.size(); ++i) {
    WatchedReport& watched = report.watched.emplace_back(WatchedReport{.name = validations_[i].name});
    measure(validations_[i], context, used, watched);
  }
  report.samples = samples(outputs);
  OutputWatch watch;
  for (std::size_t i = 0; i < outputs.size(); ++i) watch.add(validations_.front().sources[i], outputs[i]);
  report.doubt = watch.doubt();
  return report;
}

/// Returns samples of translations, spread over the corpus. Each validation shows the same sentences.
std::vector<std::string> TranslationTask::samples(std::span<const std::string> outputs) const {
  std::vector<std::string> texts;
  const std::size_t count = std::min<std::size_t>(static_cast<std::size_t>(config_.train.samples), outputs.size());
  for (std::size_t k = 0; k < count; ++k) {
    const std::size_t i = k * outputs.size() / count;
    texts.push_back(fmt::format("source     {}\nreference  {}\noutput     {}", validations_.front().sources[i],
                                validations_.front().references[i], outputs[i]));
  }
  return texts;
}

std::vector<std::string> TranslationTask::head() const {
  std::vector<std::string> lines{
      data_report_,
      fmt::format("model: {} parameters; {} source and {} target tokens{}", model_->parameters.count(),
                  tokenizers_.source->vocabulary_size(), tokenizers_.target->vocabulary_size(),
                  tokenizers_.shared() ? ", shared" : ""),
      fmt::format("{} per epoch, packed; padded batches would contain {:.1f} % padding", counted(batches(), "batch"),
                  100 - 100 * useful_share(sampler_.lengths(), Layout::padded))};
  if (const int oversized = sampler_.oversized(); oversized > 0)
    lines.push_back(counted(oversized, "sentence") + " longer than data.max_tokens: one batch each");
  if (can_validate() && config_.train.decode_validation)
    lines.push_back(fmt::format("BLEU: {}", bleu_signature(bleu_options(config_))));
  return lines;
}

}  // namespace glossa
