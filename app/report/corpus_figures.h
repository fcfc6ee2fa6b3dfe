#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "train/corpora/datasets.h"

namespace glossa {

/// Figures of one side of the training pairs.
struct SideFigures {
  std::string language;
  std::int64_t tokens = 0, unknown = 0;  ///< without special tokens, but with <unk>
  /// Numbers of distinct tokens: in the vocabulary, in the text, in the text only once.
  std::int64_t vocabulary = 0, seen = 0, once = 0;

  // Tokens per sentence, without special tokens.
  double mean_length = 0;
  std::int64_t median_length = 0, longest = 0;
  std::vector<std::int64_t> counts;  ///< counts[k]: sentences of k·bin + 1 to (k + 1)·bin tokens

  // Tokens and their frequencies by rank, the most frequent first. If there are many ranks, only a selection of them.
  std::vector<std::int64_t> rank, count;
  std::vector<std::string> token;
};

/// Figures of a run's training data.
struct CorpusFigures {
  std::string name;
  std::int64_t pairs = 0, batches = 0;
  std::int64_t bin = 1;  ///< width of the bins of both sides' length histograms
  SideFigures source, target;
  double useful_padded = 0, useful_packed = 0;  ///< tokens / computed rows, from 0 to 1
  std::string layout;                           ///< the run's layout: packed or padded
};

CorpusFigures corpus_figures(const Config& config, const Tokenizers& tokenizers, const EncodedCorpus& training);

/// Formats figures as JSON; docs/reports.md describes the format.
std::string to_json(const CorpusFigures& figures);

}  // namespace glossa
