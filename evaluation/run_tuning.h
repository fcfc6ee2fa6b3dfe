#pragma once

#include <functional>
#include <string>
#include <vector>

#include "data/parallel_corpus.h"
#include "decoding/scores/bleu.h"
#include "decoding/scores/paired_bootstrap.h"
#include "train/run.h"

namespace glossa {

/// The settings of a search over a text, with its translations, scores and time.
struct TunedSearch {
  std::int64_t beam = 1;
  double alpha = 0;  ///< alpha of the run's length penalty; no effect if beam is 1
  BleuScore bleu{};
  double chrf = 0;
  double seconds = 0;  ///< time spent translating
  std::vector<std::string> translations{};
};

struct TuningOptions {
  std::vector<std::int64_t> beams{1, 2, 4, 8};  ///< widths to try, each at least 1
  bool by_chrf = false;                         ///< true: choose by chrF2 instead of BLEU

  /// Called before each search with the number of finished searches and the total. Both include the unmeasured search.
  std::function<void(std::int64_t done, std::int64_t all)> watch = {};
};

/// Results of searches with different beams and length penalties.
struct Tuning {
  std::vector<TunedSearch> searches;  ///< the first uses the run's own options; the others are sorted by beam and alpha
  std::size_t best = 0;               ///< index of the best search; the first of equally good ones
  PairedBootstrap compared;           ///< compares the best search with the run's own options
};

/// Translates a text of a run's languages with the run's own options and with others, and scores the translations.
/// First searches once without measuring, because a program's first search is slower than later ones. Then tries the
/// run's own options. With the beam of `beams` nearest to 4, tries alpha from 0 to 2 in steps of 0.2. Finally tries
/// each other beam with the best alpha and its neighbors. The length penalty is the run's or, if it has none, `power`.
/// Drawing is off. Call apply_runtime first. Throws as evaluate does, and if `beams` is empty.
Tuning tune(const LoadedRun& run, ParallelCorpus corpus, const TuningOptions& options = {});

/// Returns the configuration with the options of the search.
Config with_search(Config config, const TunedSearch& search);

}  // namespace glossa
