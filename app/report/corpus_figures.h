#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "train/corpora/datasets.h"

namespace glossa {

/// One side of the training pairs as numbers.
struct SideFigures {
  std::string language;
  std::int64_t tokens = 0, unknown = 0;             ///< without special ones; <unk> counts as a token
  std::int64_t vocabulary = 0, seen = 0, once = 0;  ///< tokens that exist, that occur, that occur once

  // Tokens per sentence as in a batch, including special ones.
  double mean_length = 0;
  std::int64_t median_length = 0, longest = 0;
  std::int64_t bin = 1;              ///< lengths k·bin + 1 to (k + 1)·bin are counted together,
  std::vector<std::int64_t> counts;  ///< at index k

  // Frequency of the token at each rank, most frequent first; ranks are thinned out if there are many.
  std::vector<std::int64_t> rank, count;
  std::vector<std::string> token;
};

/// Figures of a run's training data.
struct CorpusFigures {
  std::string name;
  std::int64_t pairs = 0, batches = 0;
  SideFigures source, target;
  double useful_padded = 0, useful_packed = 0;  ///< tokens / rows computed, fractions of 1
  std::string layout;                           ///< the run's: packed or padded
};

CorpusFigures corpus_figures(const Config& config, const Tokenizers& tokenizers, const EncodedCorpus& training);

/// As JSON, in the shape of docs/reports.md.
std::string to_json(const CorpusFigures& figures);

}  // namespace glossa
