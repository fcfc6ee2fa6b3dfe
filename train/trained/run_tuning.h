#pragma once

#include <functional>
#include <string>
#include <vector>

#include "data/parallel_corpus.h"
#include "train/run.h"
#include "train/scores/bleu.h"
#include "train/scores/paired_bootstrap.h"

namespace glossa {

/// A search for the translations of a text, and what it gave.
struct TunedSearch {
  std::int64_t beam = 1;
  double alpha = 0;  ///< of the run's length penalty; without effect if beam is 1
  BleuScore bleu{};
  double chrf = 0;
  double seconds = 0;  ///< for translating
  std::vector<std::string> translations{};
};

struct TuningOptions {
  std::vector<std::int64_t> beams{1, 2, 4, 8};  ///< each at least 1
  bool by_chrf = false;                         ///< choose by chrF2 instead of BLEU

  /// Called before each search with the number of searches done and that of all; both include the one that is not
  /// measured.
  std::function<void(std::int64_t done, std::int64_t all)> watch = {};
};

/// Searches with different beams and length penalties.
struct Tuning {
  std::vector<TunedSearch> searches;  ///< the first has the run's own options; the others are sorted by beam and alpha
  std::size_t best = 0;               ///< index of the best one; of equally good ones, the first
  PairedBootstrap compared;           ///< the best one and the run's own options
};

/// Translates a text of a run's languages with its own options, and with others, and scores the translations. First
/// searches once without measuring, because the first search of a program is slower than the next one. Then tries the
/// run's own options, alpha from 0 to 2 in steps of 0.2 with the beam of `beams` that is nearest to 4, and each beam
/// with the best alpha and its neighbors. The length penalty is the run's or, if it has none, `power`. Drawing is off.
/// Call apply_runtime first. Throws as evaluate does, and if there is no beam.
Tuning tune(const LoadedRun& run, ParallelCorpus corpus, const TuningOptions& options = {});

/// Returns the configuration with the search's options of decoding.
Config with_search(Config config, const TunedSearch& search);

}  // namespace glossa
