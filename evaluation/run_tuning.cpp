#include "evaluation/run_tuning.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "base/check.h"
#include "base/stopwatch.h"
#include "decoding/scores/chrf.h"
#include "decoding/translator.h"
#include "evaluation/run_evaluation.h"
#include "evaluation/source_lines.h"
#include "train/corpus_loss.h"

namespace glossa {

namespace {

// Values of alpha: from 0 to 2, in steps of 0.2.
constexpr std::int64_t alphas = 11;

double alpha_at(std::int64_t n) { return static_cast<double>(n) / 5; }

/// Runs `expected` searches on one text and scores them.
class Trials {
 public:
  Trials(const LoadedRun& run, ParallelCorpus corpus, const TuningOptions& options, std::int64_t expected)
      : run_(run),
        corpus_(std::move(corpus)),
        options_(options),
        expected_(expected),
        scoring_(bleu_options(run, corpus_)) {
    const Translator translator(run.models(), run.tokenizers, run.config.data, run.config.decode);
    SourceLines lines(translator, run, corpus_.source_name, {});
    for (std::size_t i = 0; i < corpus_.source.size(); ++i) lines.add(corpus_.source[i], corpus_.line(i));
    sources_ = lines.take();
  }

  /// Searches with these options of decoding.
  TunedSearch search(const DecodeOptions& decode) {
    if (options_.watch) options_.watch(done_++, expected_);
    Translator translator(run_.models(), run_.tokenizers, run_.config.data, decode);
    TunedSearch search{.beam = decode.beam, .alpha = decode.alpha};
    const Stopwatch watch;
    search.translations = translator.translate(sources_);
    search.seconds = watch.seconds();
    search.bleu = corpus_bleu(search.translations, references_of(corpus_), scoring_);
    search.chrf = corpus_chrf(search.translations, references_of(corpus_));
    return search;
  }

  double score(const TunedSearch& search) const { return options_.by_chrf ? search.chrf : search.bleu.score; }

  PairedBootstrap compared(const TunedSearch& a, const TunedSearch& b) const {
    return paired_bootstrap(a.translations, b.translations, references_of(corpus_), scoring_);
  }

 private:
  const LoadedRun& run_;
  ParallelCorpus corpus_;
  const TuningOptions& options_;
  std::int64_t done_ = 0, expected_;
  BleuOptions scoring_;
  Translator::Sources sources_;
};

}  // namespace

Config with_search(Config config, const TunedSearch& search) {
  DecodeOptions& decode = config.decode;
  const DecodeOptions usual;
  decode.sample = false;  // options that only apply to drawing get their defaults
  decode.mbr = 0;
  decode.top_k = usual.top_k;
  decode.top_p = usual.top_p;
  decode.beam = search.beam;
  decode.alpha = search.alpha;
  if (decode.length_penalty == LengthPenalty::none) decode.length_penalty = LengthPenalty::power;
  return config;
}

Tuning tune(const LoadedRun& run, ParallelCorpus corpus, const TuningOptions& options) {
  check(!options.beams.empty(), "beams", "expected at least one; got none");
  check(!corpus.source.empty(), corpus.name, "expected at least one pair; got none");
  std::vector<std::int64_t> beams = options.beams;
  std::ranges::sort(beams);
  beams.erase(std::unique(beams.begin(), beams.end()), beams.end());
  const auto has_alpha = [](std::int64_t beam) { return beam > 1; };
  const std::int64_t searched = std::ranges::count_if(beams, has_alpha);
  Trials trials(run, std::move(corpus), options,
                2 + std::ranges::count(beams, 1) + (searched > 0 ? alphas + 3 * (searched - 1) : 0));

  std::vector<TunedSearch> tried;
  const auto try_out = [&](std::int64_t beam, double alpha) -> const TunedSearch& {
    return tried.emplace_back(trials.search(with_search(run.config, {.beam = beam, .alpha = alpha}).decode));
  };
  Tuning tuning;
  trials.search(run.config.decode);  // unmeasured, because first accesses to memory are slow
  tuning.searches.push_back(trials.search(run.config.decode));
  std::int64_t best_alpha = 0;
  if (searched > 0) {
    const std::int64_t middle = *std::ranges::min_element(
        beams, {}, [&](std::int64_t beam) { return has_alpha(beam) ? std::abs(beam - 4) : beams.back() + 4; });
    double best = -1;
    for (std::int64_t n = 0; n < alphas; ++n)
      if (const double score = trials.score(try_out(middle, alpha_at(n))); score > best) {
        best = score;
        best_alpha = n;
      }
    for (const std::int64_t beam : beams)
      for (std::int64_t n = best_alpha - 1; has_alpha(beam) && beam != middle && n <= best_alpha + 1; ++n)
        if (n >= 0 && n < alphas) try_out(beam, alpha_at(n));
  }
  if (beams.front() == 1) try_out(1, run.config.decode.alpha);

  std::ranges::sort(tried, {}, [](const TunedSearch& search) { return std::pair(search.beam, search.alpha); });
  tuning.searches.insert(tuning.searches.end(), std::make_move_iterator(tried.begin()),
                         std::make_move_iterator(tried.end()));
  for (std::size_t i = 1; i < tuning.searches.size(); ++i)
    if (trials.score(tuning.searches[i]) > trials.score(tuning.searches[tuning.best])) tuning.best = i;
  tuning.compared = trials.compared(tuning.searches[tuning.best], tuning.searches.front());
  return tuning;
}

}  // namespace glossa
