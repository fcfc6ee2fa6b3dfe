#include "evaluation/run_evaluation.h"

#include <limits>

#include "base/console/print.h"
#include "base/stopwatch.h"
#include "data/text/place.h"
#include "decoding/scores/chrf.h"
#include "decoding/scores/ter.h"
#include "evaluation/source_lines.h"
#include "train/shared_search.h"

namespace glossa {

namespace {

/// Returns the loss per target token of the first reference, over the pairs that can be encoded; NaN if none can. A
/// pair whose reference cannot be encoded is left out of the loss, but its source is still translated.
double loss_of(const LoadedRun& run, ParallelCorpus corpus, const LineErrorHandler& bad_line, const Job& job) {
  const Tokenizer& tokenizer = *run.tokenizers.target;
  for (std::size_t i = 0; i < corpus.target.size(); ++i)
    if (!pass_line(bad_line, [&] { tokenizer.encode_line(corpus.target[i], corpus.target_name, corpus.line(i)); }))
      corpus.target[i].clear();
  const EncodedCorpus encoded = encode(run.config.data, corpus, run.tokenizers, /*may_be_empty=*/true);
  if (static_cast<std::size_t>(encoded.size()) < corpus.source.size())
    print_note("note: the loss covers {}\n", describe(encoded.report));
  if (encoded.size() == 0) return std::numeric_limits<double>::quiet_NaN();
  Context<float> context;
  const DataConfig& data = run.config.data;
  const Precision precision = run.config.decode.precision;
  const CorpusLoss loss = run.others.empty()
                              ? corpus_loss(context, *run.model->transformer, encoded, data, precision, job)
                              : corpus_loss(context, run.models(), encoded, data, precision, job);
  return loss.per_token();
}

}  // namespace

BleuOptions bleu_options(const LoadedRun& run, const ParallelCorpus& corpus) {
  BleuOptions scoring = bleu_options(run.config);
  if (!run.config.train.bleu_tokenize) scoring.tokenizer = usual_bleu_tokenizer(run.config.data.target, corpus.target);
  return scoring;
}

std::vector<std::span<const std::string>> references_of(const ParallelCorpus& corpus) {
  if (corpus.all_targets.empty()) return {corpus.target};
  return {corpus.all_targets.begin(), corpus.all_targets.end()};
}

CorpusTranslation translate_corpus(const LoadedRun& run, ParallelCorpus& corpus, const EvaluationOptions& options,
                                   const Job& job) {
  Translator translator(run.models(), run.tokenizers, run.config.data, run.config.decode);
  translator.divide(divided_among(job));
  translator.split_sentences(options.split_sentences);
  SourceLines lines(translator, run, corpus.source_name, options.bad_line);
  for (std::size_t i = 0; i < corpus.source.size(); ++i) corpus.source[i] = lines.add(corpus.source[i], corpus.line(i));
  lines.compare();
  const Translator::Sources sources = lines.take();
  const ParallelCorpus* const all[] = {&corpus};
  agree_on_text(corpus.source_name, all, job);

  CorpusTranslation result;
  result.untranslated = lines.bad();
  result.in_pieces = sources.in_pieces;
  const Index count = std::ssize(sources.ids);
  if (options.watch) {
    options.watch(0, count);
    translator.watch([&](Index sentences) { options.watch(sentences, count); });
  }
  const Stopwatch watch;
  result.translations = translator.translate(sources);
  result.seconds = watch.seconds();
  return result;
}

RunEvaluation evaluate(const LoadedRun& run, ParallelCorpus corpus, const EvaluationOptions& options, const Job& job) {
  RunEvaluation result;
  static_cast<CorpusTranslation&>(result) = translate_corpus(run, corpus, options, job);
  result.loss = loss_of(run, corpus, options.bad_line, job);
  BleuOptions& scoring = result.bleu_options = bleu_options(run, corpus);
  if (options.bleu_tokenize) scoring.tokenizer = *options.bleu_tokenize;
  const std::vector<std::span<const std::string>> references = references_of(corpus);
  result.bleu = corpus_bleu(result.translations, references, scoring);
  result.chrf = corpus_chrf(result.translations, references);
  result.ter = corpus_ter(result.translations, references);
  result.exact_match = exact_match(result.translations, references);
  result.bleu_signature = bleu_signature(scoring, references.size());
  result.chrf_signature = chrf_signature(run.config.data.reading.lowercase, references.size());
  result.ter_signature = ter_signature(references.size());
  return result;
}

RunEvaluation evaluate(const LoadedRun& run, std::span<const std::string> source, const References& references,
                       const EvaluationOptions& options) {
  const DataConfig& data = run.config.data;
  const auto prepared = [&](const std::string& line, std::string_view where) {
    return normalize(data, clean_line(line, where, data.reading.text));
  };
  check(!source.empty(), "source", "expected at least one line; got none");
  check_references("reference", source.size(), references);
  ParallelCorpus corpus;
  corpus.name = corpus.source_name = "source";
  corpus.target_name = "reference";
  std::int64_t bad = 0;
  for (const std::string& line : source) {
    std::string& last = corpus.source.emplace_back();
    const std::string where = place_in("source", std::ssize(corpus.source));
    if (!pass_line(options.bad_line, [&] { last = prepared(line, where); })) ++bad;
  }
  for (const std::span<const std::string> reference : references) {
    std::vector<std::string>& lines = corpus.all_targets.emplace_back();
    for (const std::string& line : reference)
      lines.push_back(prepared(line, place_in("reference", std::ssize(lines) + 1)));
  }
  corpus.target = corpus.all_targets.front();
  RunEvaluation result = evaluate(run, std::move(corpus), options);
  result.untranslated += bad;
  return result;
}

}  // namespace glossa
